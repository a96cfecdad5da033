import type { JsonValue } from '../model/types.ts';
import type { Form } from './form.ts';
import type { Forge } from './forge.ts';
import { TYPE_BITS, type JsonObject, type JsonType } from './json.ts';
import { ONE, rational } from './rational.ts';

type Reader = (forge: Forge, value: JsonValue) => Form;

/** Keywords that look at one value alone and hold no subschema. */
const READERS: Readonly<Record<string, Reader>> = {
  type: (forge, value) => forge.or(list(value).map((name) => typeForm(forge, name))),
  const: (forge, value) => forge.values([value]),
  enum: (forge, value) => forge.values(list(value)),
  minimum: (forge, value) => bound(forge, 'min', value, false),
  exclusiveMinimum: (forge, value) => bound(forge, 'min', value, true),
  maximum: (forge, value) => bound(forge, 'max', value, false),
  exclusiveMaximum: (forge, value) => bound(forge, 'max', value, true),
  multipleOf: (forge, value) =>
    typeof value === 'number' ? forge.given('number', forge.multiple(rational(value))) : forge.yes,
  minLength: (forge, value) => size(forge, 'string', value, undefined),
  maxLength: (forge, value) => size(forge, 'string', undefined, value),
  minItems: (forge, value) => size(forge, 'array', value, undefined),
  maxItems: (forge, value) => size(forge, 'array', undefined, value),
  minProperties: (forge, value) => size(forge, 'object', value, undefined),
  maxProperties: (forge, value) => size(forge, 'object', undefined, value),
  uniqueItems: (forge, value) => (value === true ? forge.given('array', forge.unique()) : forge.yes),
};

export function plainAssertions(forge: Forge, schema: JsonObject): Form[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const read = Object.hasOwn(READERS, keyword) ? READERS[keyword] : undefined;
    return read === undefined ? [] : [read(forge, value)];
  });
}

function typeForm(forge: Forge, name: JsonValue): Form {
  if (name === 'integer') return forge.and([forge.type(TYPE_BITS.number), forge.multiple(ONE)]);
  return isType(name) ? forge.type(TYPE_BITS[name]) : forge.no;
}

function isType(name: JsonValue): name is JsonType {
  return typeof name === 'string' && Object.hasOwn(TYPE_BITS, name);
}

function bound(forge: Forge, side: 'min' | 'max', value: JsonValue, open: boolean): Form {
  return typeof value === 'number' ? forge.given('number', forge.range(side, rational(value), open)) : forge.yes;
}

function size(forge: Forge, of: 'string' | 'array' | 'object', min?: JsonValue, max?: JsonValue): Form {
  const low = typeof min === 'number' ? min : 0;
  const high = typeof max === 'number' ? max : Infinity;
  return forge.given(of, forge.size(of, low, high));
}

function list(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}
