import type { JsonSchema, JsonValue } from '../../codegen/model/types.ts';

/** An edit whose effect on accepted values is known from how it is made. */
export interface KnownEdit {
  readonly what: string;
  readonly schema: JsonSchema;
  /** Whether an old value may be refused, and whether a new value may be refused by the old schema. */
  readonly narrows: boolean;
  readonly widens: boolean;
}

type Node = Record<string, JsonValue>;
type Path = readonly (string | number)[];
interface Place {
  readonly path: Path;
  readonly node: Node;
}

interface Change {
  readonly what: string;
  readonly narrows: boolean;
  readonly widens: boolean;
  /** Edits the node in place; false where the edit does not apply. */
  readonly apply: (node: Node, pick: (below: number) => number) => boolean;
}

function isNode(value: JsonValue | undefined): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bound(keyword: string, step: number, effect: 'narrows' | 'widens'): Change {
  return {
    what: `${keyword} ${step > 0 ? 'up' : 'down'}`,
    narrows: effect === 'narrows',
    widens: effect === 'widens',
    apply: (node) => {
      const value = node[keyword];
      const opposite = node[keyword.replace('max', 'MIN').replace('min', 'max').replace('MIN', 'min')];
      if (
        typeof value !== 'number' ||
        !Number.isInteger(value) ||
        'enum' in node ||
        'pattern' in node ||
        'format' in node
      )
        return false;
      if (keyword.startsWith('min') && value + step < 0) return false;
      if (
        effect === 'narrows' &&
        (typeof opposite === 'number' ? opposite === value : keyword.startsWith('max') && value <= 1)
      )
        return false;
      node[keyword] = value + step;
      return true;
    },
  };
}

const CHANGES: readonly Change[] = [
  ...['maxLength', 'maxItems', 'maximum'].flatMap((keyword) => [
    bound(keyword, -1, 'narrows'),
    bound(keyword, 1, 'widens'),
  ]),
  ...['minLength', 'minItems', 'minimum'].flatMap((keyword) => [
    bound(keyword, 1, 'narrows'),
    bound(keyword, -1, 'widens'),
  ]),
  {
    what: 'optional property becomes required',
    narrows: true,
    widens: false,
    apply: (node, pick) => {
      const required = Array.isArray(node['required']) ? node['required'] : [];
      const optional = Object.keys(isNode(node['properties']) ? node['properties'] : {}).filter(
        (name) => !required.includes(name),
      );
      if (optional.length === 0) return false;
      node['required'] = [...required, optional[pick(optional.length)] ?? ''];
      return true;
    },
  },
  {
    what: 'required property becomes optional',
    narrows: false,
    widens: true,
    apply: (node, pick) => {
      const required = Array.isArray(node['required']) ? node['required'] : [];
      if (required.length === 0) return false;
      const gone = pick(required.length);
      node['required'] = required.filter((_, at) => at !== gone);
      return true;
    },
  },
  {
    what: 'optional property added to a closed object',
    narrows: false,
    widens: true,
    apply: (node) => {
      if (node['additionalProperties'] !== false || !isNode(node['properties']) || 'maxProperties' in node)
        return false;
      node['properties'] = { ...node['properties'], brand_new: { type: 'string' } };
      return true;
    },
  },
  {
    what: 'optional property removed from a closed object',
    narrows: true,
    widens: false,
    apply: (node, pick) => {
      if (node['additionalProperties'] !== false || !isNode(node['properties'])) return false;
      const required = Array.isArray(node['required']) ? node['required'] : [];
      const optional = Object.keys(node['properties']).filter((name) => !required.includes(name));
      if (optional.length < 2) return false;
      const gone = optional[pick(optional.length)];
      node['properties'] = Object.fromEntries(Object.entries(node['properties']).filter(([name]) => name !== gone));
      return true;
    },
  },
  {
    what: 'enum member removed',
    narrows: true,
    widens: false,
    apply: (node, pick) => {
      const members = node['enum'];
      if (!Array.isArray(members) || members.length < 2) return false;
      const gone = pick(members.length);
      node['enum'] = members.filter((_, at) => at !== gone);
      return true;
    },
  },
  {
    what: 'enum member added',
    narrows: false,
    widens: true,
    apply: (node) => {
      const members = node['enum'];
      if (!Array.isArray(members) || node['type'] !== 'string') return false;
      node['enum'] = [...members, 'brand_new'];
      return true;
    },
  },
  {
    what: 'null let in',
    narrows: false,
    widens: true,
    apply: (node) => {
      if (typeof node['type'] !== 'string' || node['type'] === 'null' || 'enum' in node || 'const' in node)
        return false;
      node['type'] = [node['type'], 'null'];
      return true;
    },
  },
  {
    what: 'null shut out',
    narrows: true,
    widens: false,
    apply: (node) => {
      const type = node['type'];
      if (!Array.isArray(type) || !type.includes('null') || type.length !== 2) return false;
      node['type'] = type.find((one) => one !== 'null') ?? 'string';
      return true;
    },
  },
  {
    what: 'integer becomes number',
    narrows: false,
    widens: true,
    apply: (node) => {
      if (
        node['type'] !== 'integer' ||
        'enum' in node ||
        (typeof node['maximum'] === 'number' && node['maximum'] === node['minimum'])
      )
        return false;
      node['type'] = 'number';
      return true;
    },
  },
  {
    what: 'object opened',
    narrows: false,
    widens: true,
    apply: (node) => {
      if (node['additionalProperties'] !== false) return false;
      delete node['additionalProperties'];
      return true;
    },
  },
];

/** Rewrites that change no accepted value. */
const REWRITES: readonly ((node: Node) => void)[] = [
  (node) => void (node['description'] = 'Said in other words.'),
  (node) => void (node['title'] = 'Another title'),
  (node) => {
    const entries = Object.entries(node).reverse();
    for (const [key] of entries) delete node[key];
    Object.assign(node, Object.fromEntries(entries));
  },
  (node) => {
    if (Array.isArray(node['required'])) node['required'] = [...node['required']].reverse();
    if (Array.isArray(node['enum'])) node['enum'] = [...node['enum']].reverse();
  },
  (node) => {
    if (typeof node['type'] === 'string') node['type'] = [node['type']];
  },
  (node) => {
    if (node['type'] === 'integer' && typeof node['minimum'] === 'number') {
      node['exclusiveMinimum'] = node['minimum'] - 1;
      delete node['minimum'];
    }
  },
  (node) => {
    if (
      Array.isArray(node['type']) &&
      node['type'].length === 2 &&
      node['type'].includes('null') &&
      !('enum' in node)
    ) {
      const { type, description: _, ...rest } = node;
      for (const key of Object.keys(node)) delete node[key];
      const only = (type ?? []) as JsonValue[];
      node['anyOf'] = [{ ...rest, type: only.find((one) => one !== 'null') ?? 'string' }, { type: 'null' }];
    }
  },
  (node) => {
    if (Array.isArray(node['enum']) && node['enum'].length === 1) {
      node['const'] = node['enum'][0] ?? null;
      delete node['enum'];
    }
  },
  (node) => {
    const copy = Object.fromEntries(Object.entries(node).filter(([key]) => key !== '$defs'));
    for (const key of Object.keys(copy)) delete node[key];
    node['allOf'] = [copy];
  },
];

/** Edits a random place a value can reach, in the schema or in a definition it uses. */
export function knownEdit(schema: JsonSchema, pick: (below: number) => number): KnownEdit | undefined {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const copy = structuredClone(schema) as JsonValue;
    const places = reachable(copy);
    const place = places[pick(places.length)];
    const change = CHANGES[pick(CHANGES.length)];
    if (place === undefined || change === undefined || !change.apply(place.node, pick)) continue;
    const { narrows, widens } = change;
    return { what: `${change.what} at /${place.path.join('/')}`, schema: copy as JsonSchema, narrows, widens };
  }
  return undefined;
}

export function rewrite(schema: JsonSchema, pick: (below: number) => number): JsonSchema {
  const copy = structuredClone(schema) as JsonValue;
  for (const place of reachable(copy)) if (pick(3) === 0) REWRITES[pick(REWRITES.length)]?.(place.node);
  return copy as JsonSchema;
}

function reachable(root: JsonValue): Place[] {
  const found: Place[] = [];
  const seen = new Set<Node>();
  const visit = (value: JsonValue | undefined, path: Path): void => {
    if (!isNode(value) || seen.has(value)) return;
    seen.add(value);
    const reference = value['$ref'];
    if (typeof reference === 'string' && isNode(root)) {
      const name = reference.slice('#/$defs/'.length);
      visit(isNode(root['$defs']) ? root['$defs'][name] : undefined, ['$defs', name]);
      return;
    }
    found.push({ path, node: value });
    for (const [name, inner] of Object.entries(isNode(value['properties']) ? value['properties'] : {})) {
      visit(inner, [...path, 'properties', name]);
    }
    visit(value['items'], [...path, 'items']);
  };
  visit(root, []);
  return found;
}

/** A small seeded generator: the same picks on every machine. */
export function picker(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
