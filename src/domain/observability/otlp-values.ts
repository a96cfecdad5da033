import type { JsonObject, JsonValue } from './span.ts';
import { storableText, type TextTally } from './text-policy.ts';

/** Why one span is refused; caught by the decoder, so the rest of the batch is stored. */
export class SpanRefusal extends Error {}

const DECIMAL = /^-?\d{1,20}$/;
const DOUBLE = /^(?:NaN|-?Infinity|[-+]?(?:\d+\.?\d*|\.\d+)(?:[Ee][-+]?\d+)?)$/;
const MAX_INT64 = 9_223_372_036_854_775_807n;
/** Deeper attribute values than this are refused: each level is a stack frame in every later reader. */
const MAX_VALUE_DEPTH = 32;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A repeated field: absent and null are empty, as proto3 JSON says. */
export function listOf(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new SpanRefusal(`${path} must be an array`);
  return value;
}

export function textOf(value: unknown, path: string, tally: TextTally): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw new SpanRefusal(`${path} must be a string`);
  return storableText(value, tally);
}

/** A 64-bit time: decimal string, number, or absent (0). */
export function nanosOf(value: unknown, path: string): bigint {
  const nanos = integerOf(value);
  if (nanos === undefined || nanos < 0n || nanos > MAX_INT64) {
    throw new SpanRefusal(`${path} must be nanoseconds since 1970 as a decimal string or number`);
  }
  return nanos;
}

function integerOf(value: unknown): bigint | undefined {
  if (value === undefined || value === null) return 0n;
  if (typeof value === 'string') return value === '' ? 0n : DECIMAL.test(value) ? BigInt(value) : undefined;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'bigint' ? value : undefined;
}

/** Attributes as one object. The last value of a repeated key wins. */
export function attributesOf(value: unknown, path: string, tally: TextTally, depth = 0): JsonObject {
  const attributes: Record<string, JsonValue> = {};
  const entries = listOf(value, path);
  for (let index = 0; index < entries.length; index += 1) {
    const entry = entries[index];
    if (!isRecord(entry) || typeof entry['key'] !== 'string') {
      throw new SpanRefusal(`${path}[${index}] must have a string key`);
    }
    const key = storableText(entry['key'], tally);
    const item = anyValue(entry['value'], path, tally, depth);
    if (key === '__proto__') defineOwn(attributes, key, item);
    else attributes[key] = item;
  }
  return attributes;
}

/** Assigning to `__proto__` would change the object's prototype; here it is data like any other key. */
function defineOwn(attributes: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(attributes, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A kind that is null is absent, as proto3 JSON says of every field; a value of no kind is null. */
function anyValue(value: unknown, path: string, tally: TextTally, depth: number): JsonValue {
  if (value === undefined || value === null) return null;
  if (!isRecord(value)) throw new SpanRefusal(`${path} holds a value that is not an AnyValue object`);
  if (depth > MAX_VALUE_DEPTH) throw new SpanRefusal(`${path} is nested more than ${MAX_VALUE_DEPTH} levels deep`);
  if (typeof value['stringValue'] === 'string') return storableText(value['stringValue'], tally);
  if (typeof value['boolValue'] === 'boolean') return value['boolValue'];
  if (isGiven(value['intValue'])) return exactInteger(value['intValue'], path);
  if (isGiven(value['doubleValue'])) return doubleOf(value['doubleValue'], path);
  if (isGiven(value['bytesValue'])) return bytesOf(value['bytesValue'], path);
  if (isRecord(value['arrayValue'])) {
    const items = listOf(value['arrayValue']['values'], path);
    return items.map((item) => anyValue(item, path, tally, depth + 1));
  }
  if (isRecord(value['kvlistValue'])) return attributesOf(value['kvlistValue']['values'], path, tally, depth + 1);
  if (!Object.values(value).some(isGiven)) return null;
  throw new SpanRefusal(`${path} holds a value of no known kind`);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Integers beyond 2^53 stay exact by travelling as strings. */
function exactInteger(value: unknown, path: string): JsonValue {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  const integer = value === '' ? undefined : integerOf(value);
  if (integer === undefined) throw new SpanRefusal(`${path} holds an intValue that is not an integer`);
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer.toString();
}

/** JSON has no NaN or infinity; they are kept by their proto3 JSON names. */
function doubleOf(value: unknown, path: string): JsonValue {
  const number = typeof value === 'string' && DOUBLE.test(value) ? Number(value) : value;
  if (typeof number !== 'number') throw new SpanRefusal(`${path} holds a doubleValue that is not a number`);
  return Number.isFinite(number) ? number : String(number);
}

function bytesOf(value: unknown, path: string): JsonValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) return value;
  throw new SpanRefusal(`${path} holds a bytesValue that is not base64`);
}
