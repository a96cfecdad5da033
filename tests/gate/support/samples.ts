import type { JsonSchema, JsonValue } from '../../../codegen/model/types.ts';

type Pick = (below: number) => number;
type Node = { readonly [keyword: string]: JsonValue };

const isNode = (value: JsonValue | undefined): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values that a schema accepts or nearly accepts, at its edges more often than not. */
export function samplesOf(schema: JsonSchema, pick: Pick, count: number): JsonValue[] {
  return Array.from({ length: count }, () => sample(schema, schema, pick, 0));
}

function sample(schema: JsonValue, root: JsonSchema, pick: Pick, depth: number): JsonValue {
  const node = follow(schema, root);
  if (node === undefined) return 'anything';
  const { const: only, enum: members, anyOf, oneOf, allOf } = node;
  if (only !== undefined) return only;
  if (Array.isArray(members)) return pickOf(members, pick) ?? null;
  for (const union of [anyOf, oneOf]) {
    if (Array.isArray(union)) return sample(pickOf(union, pick) ?? true, root, pick, depth);
  }
  if (Array.isArray(allOf)) {
    const parts = allOf.map((part: JsonValue) => sample(part, root, pick, depth)).filter(isNode);
    return { ...object(node, root, pick, depth), ...Object.assign({}, ...parts) };
  }
  const { type } = node;
  const chosen = Array.isArray(type) ? pickOf(type, pick) : type;
  switch (typeof chosen === 'string' ? chosen : 'object') {
    case 'null':
      return null;
    case 'boolean':
      return pick(2) === 0;
    case 'integer':
      return number(node, pick, 1);
    case 'number':
      return number(node, pick, 0.5);
    case 'string':
      return text(node, pick);
    case 'array':
      return array(node, root, pick, depth);
    default:
      return object(node, root, pick, depth);
  }
}

function follow(schema: JsonValue, root: JsonSchema): Node | undefined {
  if (!isNode(schema)) return undefined;
  const { $ref: reference, ...beside } = schema;
  if (typeof reference !== 'string') return schema;
  const shapes = isNode(root) ? root['$defs'] : undefined;
  const target = isNode(shapes) ? shapes[reference.replace('#/$defs/', '')] : undefined;
  const found = target === undefined ? undefined : follow(target, root);
  return found === undefined ? undefined : { ...found, ...beside };
}

function pickOf(list: readonly JsonValue[], pick: Pick): JsonValue | undefined {
  return list[pick(list.length)];
}

const bound = (value: JsonValue | undefined, other: number): number => (typeof value === 'number' ? value : other);

function number(node: Node, pick: Pick, step: number): number {
  const [low, high] = [bound(node['minimum'], 0), bound(node['maximum'], 100)];
  return [low, high, low + step, high - step, Math.min(high, low + pick(50))][pick(5)] ?? low;
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: '01912d5a-0000-7000-8000-000000000001',
  'date-time': '2026-11-30T10:00:00Z',
  date: '2026-11-30',
  uri: 'https://example.test/x',
};

function text(node: Node, pick: Pick): string {
  const { format, pattern } = node;
  if (typeof format === 'string') return FORMATS[format] ?? 'x';
  const [low, high] = [bound(node['minLength'], 0), Math.min(bound(node['maxLength'], 50), 9000)];
  const length = [low, high, Math.min(high, low + 1), Math.max(low, high - 1)][pick(4)] ?? low;
  return (typeof pattern === 'string' ? '1' : 'x').repeat(length);
}

function array(node: Node, root: JsonSchema, pick: Pick, depth: number): JsonValue[] {
  const [low, high] = [bound(node['minItems'], 0), Math.min(bound(node['maxItems'], 3), 120)];
  const length = depth > 3 ? low : ([low, high, Math.min(high, low + 1)][pick(depth > 0 ? 2 : 3)] ?? low);
  const item = sample(node['items'] ?? true, root, pick, depth + 1);
  return Array.from({ length }, () => item);
}

function object(node: Node, root: JsonSchema, pick: Pick, depth: number): Node {
  const properties = isNode(node['properties']) ? node['properties'] : {};
  const required = Array.isArray(node['required']) ? node['required'] : [];
  const dense = pick(2) === 0;
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || dense || pick(3) === 0);
  return Object.fromEntries(chosen.map(([name, one]) => [name, sample(one, root, pick, depth + 1)]));
}
