/** Builds a value that a shape accepts, always the same one; undefined where none is easily made. */
import { objectOf } from '../../canonical/json.ts';
import type { Lookup, Node, ObjectNode, ScalarNode } from '../../canonical/node.ts';
import type { JsonValue } from '../../model/types.ts';
import { patternSample } from './pattern-sample.ts';

/** `least` leaves out what may be left out; `most` has every member. */
export type Fullness = 'least' | 'most';

export const SAMPLE_FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-02-07T10:00:00Z',
  date: '2026-02-07',
  time: '10:00:00Z',
  duration: 'PT1H',
  email: 'ann@example.test',
  hostname: 'example.test',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid: '01890a5d-ac96-774b-bcce-b302099a8057',
  uri: 'https://example.test/a',
};

const DEEPEST = 12;

export function sample(node: Node, fullness: Fullness, lookup: Lookup, depth = 0): JsonValue | undefined {
  if (depth > DEEPEST) return undefined;
  const inner = (child: Node): JsonValue | undefined => sample(child, fullness, lookup, depth + 1);
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
      return node.values[0];
    case 'scalar':
      return scalar(node);
    case 'union':
      return node.members.map(inner).find((value) => value !== undefined);
    case 'array': {
      const least = node.limits.minItems ?? 0;
      const count = Math.min(Math.max(least, fullness === 'most' ? 1 : 0), node.limits.maxItems ?? Infinity);
      if (count === 0) return [];
      const item = inner(node.items);
      if (item === undefined) return least === 0 ? [] : undefined;
      return count > 1 && node.limits.uniqueItems === true ? undefined : Array.from({ length: count }, () => item);
    }
    case 'tuple': {
      const items = node.items.map(inner);
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case 'object':
      return object(node, fullness, inner);
  }
}

function object(
  node: ObjectNode,
  fullness: Fullness,
  inner: (child: Node) => JsonValue | undefined,
): JsonValue | undefined {
  const members: [string, JsonValue][] = [];
  for (const { name, node: child, required } of node.properties) {
    if (!required && fullness === 'least') continue;
    const value = inner(child);
    if (value !== undefined) members.push([name, value]);
    else if (required) return undefined;
  }
  if (members.length < (node.limits.minProperties ?? 0))
    return fullness === 'least' ? object(node, 'most', inner) : undefined;
  return objectOf(members);
}

function scalar(node: ScalarNode): JsonValue | undefined {
  const { limits } = node;
  switch (node.type) {
    case 'null':
      return null;
    case 'boolean':
      return true;
    case 'string': {
      const least = limits.minLength ?? 0;
      if (limits.pattern !== undefined) return patternSample(limits.pattern, least);
      if (limits.format !== undefined) return SAMPLE_FORMATS[limits.format];
      return 'a'.repeat(Math.max(least, Math.min(1, limits.maxLength ?? 1)));
    }
    case 'number':
    case 'integer':
      return number(node);
  }
}

function number({ limits, type }: ScalarNode): number {
  const step = limits.multipleOf ?? (type === 'integer' ? 1 : 0);
  const low =
    limits.minimum ?? (limits.exclusiveMinimum === undefined ? undefined : limits.exclusiveMinimum + (step || 0.5));
  const high =
    limits.maximum ?? (limits.exclusiveMaximum === undefined ? undefined : limits.exclusiveMaximum - (step || 0.5));
  const start = low !== undefined && low > 0 ? low : high !== undefined && high < 0 ? high : 0;
  return step === 0 ? start : Math.ceil(start / step) * step;
}
