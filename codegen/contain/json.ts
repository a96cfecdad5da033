import type { JsonValue } from '../model/types.ts';

export type JsonObject = { readonly [key: string]: JsonValue };

/** The six JSON types as bits, so that a set of types is one small number. */
export const TYPE_BITS = { null: 1, boolean: 2, number: 4, string: 8, array: 16, object: 32 } as const;
export type JsonType = keyof typeof TYPE_BITS;
export const ALL_TYPES = 63;
/** Cheapest to decide first; a search that finds a witness early never looks at the rest. */
export const TYPE_ORDER: readonly JsonType[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];

export function typeOf(value: JsonValue): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  if (type === 'boolean' || type === 'number' || type === 'string') return type;
  return 'object';
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One text per JSON value: equal values, equal text, whatever the order of keys. */
export function canonical(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return Object.is(value, -0) ? '0' : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => canonical(item)).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}

/** JSON Schema counts code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export function ownEntry(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

export function pointerStep(path: string, step: string | number): string {
  return `${path}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
