import { toWellFormed } from '../../kernel/bounded.ts';
import { mapOutsideStrings } from '../../kernel/json-outside.ts';
import type { Json } from './trace-source.ts';

const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const NEEDS_CARE = /\d{16}|\\u/;

/**
 * The value of JSON text that instrumentation recorded. Whole numbers beyond 2^53 are bigints, so that none of their
 * digits is lost; U+0000 and half surrogate pairs, which no dataset may hold, become U+FFFD. Undefined for other text.
 */
export function parseRecorded(text: string): Json | undefined {
  try {
    if (!NEEDS_CARE.test(text)) return JSON.parse(text);
    const mark = markFor(text);
    const marked = mapOutsideStrings(text, (outside) => markLong(outside, mark));
    return JSON.parse(marked, (_name, value: unknown) => meant(value, mark));
  } catch {
    return undefined;
  }
}

/** JSON text of a value as it was parsed, every digit in its place. */
export function recordedText(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(recordedText).join(',')}]`;
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${recordedText(item)}`);
  return `{${fields.join(',')}}`;
}

/** Begins the text that stands for a whole number while the rest is parsed; no text of the record begins so. */
function markFor(text: string): string {
  let name = 'integer';
  while (text.includes(`\\u0000${name}:`)) name += '_';
  return `\0${name}:`;
}

function markLong(outside: string, mark: string): string {
  return outside.replace(LONG_INTEGER, (digits) =>
    Number.isSafeInteger(Number(digits)) ? digits : JSON.stringify(mark + digits),
  );
}

function meant(value: unknown, mark: string): unknown {
  if (typeof value === 'string') {
    const isMarked = value.startsWith(mark) && /^-?\d+$/.test(value.slice(mark.length));
    return isMarked ? BigInt(value.slice(mark.length)) : storable(value);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  if (entries.every(([name]) => storable(name) === name)) return value;
  // fromEntries defines own properties, so a key named __proto__ stays data.
  return Object.fromEntries(entries.map(([name, item]) => [storable(name), item]));
}

function storable(text: string): string {
  return toWellFormed(text).replaceAll('\0', '\ufffd');
}
