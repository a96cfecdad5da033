/** Reads annotations and value limits from a schema without composition. */
import type { JsonValue } from '../model/types.ts';
import { isJsonArray, isJsonObject, member } from './json.ts';
import type { JsonObject } from './json.ts';
import type { Limits, Notes } from './node.ts';

const LIMITS_BY_TYPE: Readonly<Record<string, readonly (keyof Limits)[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  null: [],
  array: ['minItems', 'maxItems', 'uniqueItems'],
  object: ['minProperties', 'maxProperties'],
};

const ALL_LIMITS = [...new Set(Object.values(LIMITS_BY_TYPE).flat())];

/** The limits that bear on one type, or all of them. */
export function limitsOf(schema: JsonObject, type?: string): Limits {
  const keys = type === undefined ? ALL_LIMITS : (LIMITS_BY_TYPE[type] ?? []);
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = member(schema, key);
      return value === undefined || (key === 'uniqueItems' && value !== true) ? [] : [[key, value]];
    }),
  );
}

export function notesOf(schema: JsonObject): Notes {
  const description = member(schema, 'description');
  const unit = member(schema, 'unit');
  const header = member(schema, 'x-mcp-header');
  const preset = member(schema, 'default');
  return {
    ...(typeof description === 'string' ? { description: description.trim() } : {}),
    ...(member(schema, 'deprecated') === true ? { deprecated: true } : {}),
    ...(preset === undefined ? {} : { default: preset }),
    ...(typeof unit === 'string' ? { unit } : {}),
    ...(typeof header === 'string' ? { header } : {}),
    ...(member(schema, 'extensible') === true ? { extensible: true } : {}),
  };
}

/** The JSON Schema type of a value; whole numbers are integers. */
function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (isJsonArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

export function hasType(value: JsonValue, type: string): boolean {
  const actual = typeOfValue(value);
  return actual === type || (actual === 'integer' && type === 'number');
}

/** Whether an enumerated value is of the type and within the limits that stand beside it. */
export function valueFits(value: JsonValue, type: string, limits: Limits): boolean {
  if (!hasType(value, type)) return false;
  if (typeof value === 'string') {
    const length = Array.from(value).length;
    const fits = length >= (limits.minLength ?? 0) && length <= (limits.maxLength ?? Infinity);
    return fits && (limits.pattern === undefined || new RegExp(limits.pattern, 'u').test(value));
  }
  if (typeof value !== 'number') return true;
  const low = value >= (limits.minimum ?? -Infinity) && value > (limits.exclusiveMinimum ?? -Infinity);
  return low && value <= (limits.maximum ?? Infinity) && value < (limits.exclusiveMaximum ?? Infinity);
}
