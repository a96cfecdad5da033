/** Makes up values that a shape accepts, from its canonical form. */
import { isJsonObject, objectOf } from '../canonical/json.ts';
import type { Lookup, Node, ObjectNode, ScalarNode } from '../canonical/node.ts';
import type { JsonValue } from '../model/types.ts';
import { makeText } from './make-text.ts';
import type { Random } from './random.ts';

export interface Making {
  readonly lookup: Lookup;
  readonly random: Random;
  /** An address that leads somewhere; made-up text would not. */
  readonly address: (random: Random) => string | undefined;
}

const DEEPEST = 12;
/** From this depth on only what is required is made, so that recursive shapes end. */
const SPARSE = 5;
const WIDEST = 1000;

export function makeValue(node: Node, making: Making, name = '', depth = 0): JsonValue | undefined {
  if (depth > DEEPEST) return undefined;
  const { lookup, random } = making;
  const inner = (child: Node, member = name): JsonValue | undefined => makeValue(child, making, member, depth + 1);
  switch (node.kind) {
    case 'any':
      return 'anything';
    case 'never':
      return undefined;
    case 'ref': {
      const target = lookup(node.name);
      return target === undefined ? undefined : inner(target);
    }
    case 'literal':
      return random.pick(node.values);
    case 'scalar':
      return makeScalar(node, making, name);
    case 'union': {
      const first = random.between(0, node.members.length - 1);
      const order = [...node.members.slice(first), ...node.members.slice(0, first)];
      return order.map((member) => inner(member)).find((value) => value !== undefined);
    }
    case 'array': {
      const { minItems: least = 0, maxItems: most = Infinity, uniqueItems } = node.limits;
      const count = Math.min(Math.max(least, depth > SPARSE ? 0 : random.between(1, 3)), most);
      const items = Array.from({ length: count }, () => inner(node.items)).filter((item) => item !== undefined);
      return uniqueItems === true ? distinct(items) : items;
    }
    case 'tuple': {
      const items = node.items.map((item) => inner(item));
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case 'object':
      return makeObject(node, making, { inner, sparse: depth > SPARSE });
  }
}

interface Around {
  readonly inner: (child: Node, member?: string) => JsonValue | undefined;
  readonly sparse: boolean;
}

function makeObject(node: ObjectNode, { random }: Making, { inner, sparse }: Around): JsonValue | undefined {
  const members: [string, JsonValue][] = [];
  const least = node.limits.minProperties ?? 0;
  const most = node.limits.maxProperties ?? Infinity;
  for (const { name, node: child, required } of node.properties) {
    // One draw per member keeps the others as they are when a member is added.
    const wanted = random.next() < 0.7 && !sparse && members.length < most;
    if (!required && !wanted && members.length >= least) continue;
    const value = inner(child, name);
    if (value !== undefined) members.push([name, value]);
    else if (required) return undefined;
  }
  if (node.rest !== 'closed') {
    const rest = node.rest;
    for (let count = members.length; count < least; count += 1)
      members.push([`member_${count + 1}`, rest === 'open' ? 'anything' : (inner(rest) ?? null)]);
  }
  return objectOf(members);
}

function makeScalar(node: ScalarNode, making: Making, name: string): JsonValue | undefined {
  const { random } = making;
  switch (node.type) {
    case 'null':
      return null;
    case 'boolean':
      return random.next() < 0.5;
    case 'string':
      if (name === 'uri' || name.endsWith('_uri')) return making.address(random) ?? makeText(node, random, name);
      return makeText(node, random, name);
    case 'number':
    case 'integer':
      return makeNumber(node, random);
  }
}

function makeNumber({ limits, type }: ScalarNode, random: Random): number {
  const step = limits.multipleOf ?? (type === 'integer' ? 1 : 0.5);
  const low = limits.minimum ?? (limits.exclusiveMinimum === undefined ? undefined : limits.exclusiveMinimum + step);
  const high = limits.maximum ?? (limits.exclusiveMaximum === undefined ? undefined : limits.exclusiveMaximum - step);
  const from = low ?? Math.min(0, high ?? 0);
  const steps = high === undefined ? WIDEST : Math.min(WIDEST, Math.floor((high - from) / step));
  if (steps < 1) return from;
  const first = limits.multipleOf === undefined && type === 'number' ? from : Math.ceil(from / step) * step;
  const value = first + random.between(0, Math.max(0, steps - 1)) * step;
  return high !== undefined && value > high ? first : value;
}

function distinct(items: readonly JsonValue[]): JsonValue[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** Sets members that an object's shape knows and leaves the others as they are. */
export function withMembers(
  node: Node | undefined,
  value: JsonValue,
  members: Readonly<Record<string, JsonValue>>,
): JsonValue {
  if (node?.kind !== 'object' || !isJsonObject(value)) return value;
  const known = new Set(node.properties.map((property) => property.name));
  return { ...value, ...Object.fromEntries(Object.entries(members).filter(([name]) => known.has(name))) };
}
