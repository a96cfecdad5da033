import { toWellFormed } from '../../kernel/bounded.ts';

const LARGEST = 2n ** 63n - 1n;
const SMALLEST = -(2n ** 63n);

/**
 * One row as a line of JSON. Integers up to 64 bits keep their digits as numbers; longer ones become text, because the
 * engine would read them as doubles. Half a surrogate pair, which no UTF-8 file can hold, becomes U+FFFD.
 */
export function toJsonLine(row: Readonly<Record<string, unknown>>): string {
  return `${write(row)}\n`;
}

function write(value: unknown): string {
  if (typeof value === 'bigint') return value >= SMALLEST && value <= LARGEST ? value.toString() : `"${value}"`;
  if (typeof value === 'string') return JSON.stringify(toWellFormed(value));
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
  if (typeof value === 'boolean') return String(value);
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return 'null';
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${fields.map(([name, item]) => `${write(name)}:${write(item)}`).join(',')}}`;
}
