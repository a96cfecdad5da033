import type { JsonValue } from '../model/types.ts';

export type JsonObject = { readonly [key: string]: JsonValue };

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Own member only: a schema may describe a property called `toString`. */
export function member(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The same value with the members of every object in name order. */
export function sortMembers(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(sortMembers);
  if (!isJsonObject(value)) return value;
  return objectOf(
    Object.keys(value)
      .sort(compareText)
      .map((key) => [key, sortMembers(value[key] ?? null)]),
  );
}

/** What JSON would keep of a value: members that are undefined are gone. */
export function plainJson(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(plainJson);
  if (typeof value === 'object' && value !== null) {
    const kept = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return objectOf(kept.map(([key, inner]) => [key, plainJson(inner)]));
  }
  // because what is neither a list nor an object is kept as it is, and functions are no part of a model
  return (value ?? null) as JsonValue;
}

/** JSON with sorted members, so that equal values have equal text. */
export function canonicalText(value: JsonValue): string {
  return JSON.stringify(typeof value === 'object' ? sortMembers(value) : value);
}

export function sameJson(left: JsonValue, right: JsonValue): boolean {
  return canonicalText(left) === canonicalText(right);
}

/** Builds an object whose own keys may be anything, `__proto__` included. */
export function objectOf(entries: Iterable<readonly [string, JsonValue]>): JsonObject {
  return Object.fromEntries(entries);
}
