import type { JsonValue } from '../../../codegen/model/types.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Kinds of value at each place, places of the items of a list taken together. */
export type Shape = ReadonlyMap<string, ReadonlySet<string>>;

export function shapeOf(value: unknown): Shape {
  const shape = new Map<string, Set<string>>();
  const visit = (at: string, node: unknown): void => {
    const kinds = shape.get(at) ?? new Set<string>();
    shape.set(at, kinds.add(kindOf(node)));
    if (Array.isArray(node)) for (const item of node) visit(`${at}/*`, item);
    else if (typeof node === 'object' && node !== null)
      for (const [name, member] of Object.entries(node)) visit(`${at}/${name}`, member);
  };
  visit('', value);
  return shape;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** Where one side has a kind of value, or a member, that the schema does not leave to choice and the other side lacks. */
export function differences(schema: Schema, left: unknown, right: unknown): string[] {
  const found: string[] = [];
  compare({ root: schema, found }, { schema, at: '', left, right });
  return found;
}

interface Run {
  readonly root: Schema;
  readonly found: string[];
}

interface Pair {
  readonly schema: Schema;
  readonly at: string;
  readonly left: unknown;
  readonly right: unknown;
}

function compare(run: Run, { schema, at, left, right }: Pair): void {
  const body = resolved(run.root, schema);
  const [one, other] = [kindOf(left), kindOf(right)];
  if (one !== other) {
    if (!allows(body, one) || !allows(body, other)) run.found.push(`${at}: ${one} and ${other}`);
    return;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    const items = member(body, 'items');
    const [first] = left as unknown[];
    // Both lists hold alike items by the schema; one of each is compared, the validator sees them all.
    for (const item of right.slice(0, 1))
      if (left.length > 0) compare(run, { schema: items, at: `${at}/*`, left: first, right: item });
    return;
  }
  if (one === 'object') members(run, { schema: body, at, left, right });
}

function members(run: Run, { schema, at, left, right }: Pair): void {
  // because both are objects, as their kind says
  const [one, other] = [left as Record<string, JsonValue>, right as Record<string, JsonValue>];
  const properties = member(schema, 'properties');
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const [inOne, inOther] = [Object.hasOwn(one, name), Object.hasOwn(other, name)];
    const declared = Object.hasOwn(properties, name);
    if (declared && inOne && inOther) {
      const place = { schema: member(properties, name), at: `${at}/${name}` };
      compare(run, { ...place, left: one[name], right: other[name] });
    } else if (declared && required.includes(name)) run.found.push(`${at}/${name}: only on one side`);
    else if (!declared && Object.keys(properties).length > 0) run.found.push(`${at}/${name}: not declared`);
  }
}

function allows(schema: Schema, kind: string): boolean {
  const types = [schema['type']].flat();
  if (types.includes(undefined)) return true;
  return types.includes(kind) || (kind === 'number' && types.includes('integer'));
}

function resolved(root: Schema, schema: Schema): Schema {
  const ref = schema['$ref'];
  if (typeof ref !== 'string') return schema;
  const target = ref
    .split('/')
    .slice(1)
    .reduce<Schema>((at, step) => member(at, step), root);
  return resolved(root, target);
}

function member(schema: Schema, name: string): Schema {
  const found = schema[name];
  // because what stands under these names of a schema is a schema or a map of them
  return typeof found === 'object' && found !== null ? (found as Schema) : {};
}
