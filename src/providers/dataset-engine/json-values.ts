import { DuckDBArrayType, DuckDBListType, DuckDBMapType, DuckDBStructType, DuckDBUnionType } from '@duckdb/node-api';
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUnionValue,
} from '@duckdb/node-api';
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { clip } from '../../kernel/bounded.ts';
import { parseExactJson } from './exact-json.ts';
import { fieldNames } from './struct-fields.ts';

/** How much of a value is kept. `cut` is told each time something is left out. */
export interface ValueBounds {
  readonly textLength: number;
  readonly items: number;
  readonly depth: number;
  readonly cut: () => void;
}

/** Digits that survive a trip through a double and back, whatever they are. */
const DOUBLE_DIGITS = 15;

/**
 * A database value as JSON. Integers beyond 2^53, decimals of more than 15 digits, NaN and infinities become text;
 * instants are RFC 3339 in UTC, local timestamps the same without a zone, BLOBs base64. The value is of a chunk whose
 * fields are numbered.
 */
export function toJson(value: DuckDBValue, type: DuckDBType, bounds: ValueBounds): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return fromInteger(value);
  if (typeof value === 'string') return fromText(value, type, bounds);
  if (bounds.depth <= 0) return cutTo('[deeper]', bounds);
  if (value instanceof DuckDBUnionValue && type instanceof DuckDBUnionType) {
    return toJson(value.value, type.memberTypeForTag(value.tag) ?? type, bounds);
  }
  return fromNested(value, type, bounds) ?? fromScalar(value, bounds);
}

/** The engine's name of a type; JSON is an alias the type itself does not print. */
export function typeName(type: DuckDBType): string {
  if (type.alias !== undefined) return type.alias;
  if (type instanceof DuckDBListType) return `${typeName(type.valueType)}[]`;
  if (type instanceof DuckDBMapType) return `MAP(${typeName(type.keyType)}, ${typeName(type.valueType)})`;
  if (type instanceof DuckDBStructType) {
    const fields = type.entryNames.map((name, index) => `"${name}" ${typeName(type.entryTypes[index] ?? type)}`);
    return `STRUCT(${fields.join(', ')})`;
  }
  return type.toString();
}

function fromInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function fromText(value: string, type: DuckDBType, bounds: ValueBounds): unknown {
  if (type.alias !== 'JSON') return cutText(value, bounds);
  try {
    return boundJson(parseExactJson(value), bounds);
  } catch {
    // Text under a JSON type that is no JSON comes from a cast the engine did not check.
    return cutText(value, bounds);
  }
}

function fromNested(value: DuckDBValue, type: DuckDBType, bounds: ValueBounds): unknown {
  const inner = { ...bounds, depth: bounds.depth - 1 };
  if (value instanceof DuckDBListValue && type instanceof DuckDBListType) {
    return boundList(value.items, bounds, (item) => toJson(item, type.valueType, inner));
  }
  if (value instanceof DuckDBArrayValue && type instanceof DuckDBArrayType) {
    return boundList(value.items, bounds, (item) => toJson(item, type.valueType, inner));
  }
  if (value instanceof DuckDBStructValue && type instanceof DuckDBStructType) {
    return boundObject(fieldNames(type), bounds, (name, index) => [
      name,
      toJson(value.entries[index] ?? null, type.entryTypes[index] ?? type, inner),
    ]);
  }
  if (value instanceof DuckDBMapValue && type instanceof DuckDBMapType) return fromMap(value, type, bounds, inner);
  return undefined;
}

function fromMap(value: DuckDBMapValue, type: DuckDBMapType, bounds: ValueBounds, inner: ValueBounds): unknown {
  const entries = value.entries.map(({ key, value: item }) => ({ key, item }));
  if (entries.every(({ key }) => typeof key === 'string')) {
    return boundObject(entries, bounds, ({ key, item }) => [String(key), toJson(item, type.valueType, inner)]);
  }
  return boundList(entries, bounds, ({ key, item }) => ({
    key: toJson(key, type.keyType, inner),
    value: toJson(item, type.valueType, inner),
  }));
}

function fromScalar(value: DuckDBValue, bounds: ValueBounds): unknown {
  if (value instanceof DuckDBDecimalValue) {
    const digits = (value.value < 0n ? -value.value : value.value).toString().length;
    return digits <= DOUBLE_DIGITS ? Number(value.toString()) : value.toString();
  }
  if (value instanceof DuckDBTimestampTZValue) return instant(new DuckDBTimestampValue(value.micros).toString(), 'Z');
  if (
    value instanceof DuckDBTimestampValue ||
    value instanceof DuckDBTimestampSecondsValue ||
    value instanceof DuckDBTimestampMillisecondsValue ||
    value instanceof DuckDBTimestampNanosecondsValue
  ) {
    return instant(value.toString(), '');
  }
  if (value instanceof DuckDBDateValue)
    return value.isFinite ? value.toString() : value.days > 0 ? 'infinity' : '-infinity';
  if (value instanceof DuckDBBlobValue) return cutText(Buffer.from(value.bytes).toString('base64'), bounds);
  return cutText(String(value), bounds);
}

function instant(text: string, zone: string): string {
  return /^\d/.test(text) ? `${text.replace(' ', 'T')}${zone}` : text;
}

function boundJson(value: unknown, bounds: ValueBounds): unknown {
  if (typeof value === 'string') return cutText(value, bounds);
  if (typeof value !== 'object' || value === null) return value;
  if (bounds.depth <= 0) return cutTo('[deeper]', bounds);
  const inner = { ...bounds, depth: bounds.depth - 1 };
  if (Array.isArray(value)) return boundList(value, bounds, (item) => boundJson(item, inner));
  return boundObject(Object.entries(value), bounds, ([name, item]) => [name, boundJson(item, inner)]);
}

function boundList<T>(items: readonly T[], bounds: ValueBounds, map: (item: T) => unknown): unknown[] {
  if (items.length <= bounds.items) return items.map(map);
  return [...items.slice(0, bounds.items).map(map), cutTo(`… ${items.length - bounds.items} more`, bounds)];
}

function boundObject<T>(
  entries: readonly T[],
  bounds: ValueBounds,
  map: (entry: T, index: number) => readonly [string, unknown],
): Record<string, unknown> {
  const kept = entries.slice(0, bounds.items).map(map);
  if (entries.length <= bounds.items) return Object.fromEntries(kept);
  return Object.fromEntries([...kept, ['…', cutTo(`${entries.length - bounds.items} more`, bounds)]]);
}

function cutText(text: string, bounds: ValueBounds): string {
  if (text.length <= bounds.textLength) return text;
  return cutTo(`${clip(text, bounds.textLength)}…`, bounds);
}

function cutTo(mark: string, bounds: ValueBounds): string {
  bounds.cut();
  return mark;
}
