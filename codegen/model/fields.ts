/** Readers for members of documents that the grammar has already checked. */
import { isList, isObject } from '../grammar/value-kinds.ts';
import type { JsonValue } from './types.ts';

export type Fields = { readonly [key: string]: JsonValue };

export function fields(value: JsonValue | undefined): Fields {
  return isObject(value) ? value : {};
}

export function textOf(from: Fields, key: string): string {
  const value = from[key];
  return typeof value === 'string' ? value.trimEnd() : '';
}

export function maybeText(from: Fields, key: string): string | undefined {
  return typeof from[key] === 'string' ? textOf(from, key) : undefined;
}

export function numberOf(from: Fields, key: string): number {
  const value = from[key];
  return typeof value === 'number' ? value : 0;
}

export function listOf(from: Fields, key: string): readonly JsonValue[] {
  const value = from[key];
  return isList(value) ? value : [];
}

export function textsOf(from: Fields, key: string): string[] {
  return listOf(from, key).filter((one) => typeof one === 'string');
}

/** An optional member for a spread: `{}` when the value is absent. */
export function maybe<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  // because a computed key widens to string in the literal's type
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: T });
}

/** A word of a closed list the grammar has checked; `fallback` keeps the type honest without a cast. */
export function wordOf<T extends string>(from: Fields, key: string, words: readonly T[], fallback: T): T {
  return words.find((word) => word === from[key]) ?? fallback;
}
