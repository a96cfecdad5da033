import type { JsonValue } from '../model/types.ts';

export type Members = { readonly [key: string]: JsonValue };

export function isObject(value: JsonValue | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  return typeof value;
}

export function hasType(value: JsonValue, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
}

/** JSON Schema counts characters as code points: a surrogate pair is one. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) if ((text.codePointAt(at) ?? 0) > 0xffff) count -= 1;
  return count;
}

/** Decimal multiples hold for decimal literals: 8.69 is a multiple of 0.01 although the floats do not divide. */
export function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Number.isFinite(quotient) && Math.abs(Math.round(quotient) - quotient) < 1e-9;
}

/** JSON text with sorted keys: equal exactly when two values are equal. */
export function canonical(value: JsonValue): string {
  if (isList(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join(',')}}`;
}
