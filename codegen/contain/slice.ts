import { isObject, type JsonObject } from './json.ts';
import type { JsonSchema, JsonValue } from '../model/types.ts';

const ONE = new Set([
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const MAP = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties']);
const WHOLE_DEFINITION = /^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/u;

/**
 * The part of a schema that can have a say about one value: what it demands of a member that no object of the value
 * has cannot matter, so it is replaced by `true`, and compiling the rest takes a fraction of the time.
 */
export function sliceFor(schema: JsonSchema, value: JsonValue): JsonSchema {
  if (!isObject(schema) || !refersToDefinitionsAlone(schema)) return schema;
  const names = new Set<string>();
  gather(value, names);
  return cut(schema, names);
}

/** A pointer to somewhere else could lead to what has been cut out. */
function refersToDefinitionsAlone(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(refersToDefinitionsAlone);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([key, inner]) => {
    if (key === '$ref' && typeof inner === 'string') return WHOLE_DEFINITION.test(inner);
    const named = key === '$id' || key === '$anchor' || key.startsWith('$dynamic') || key.startsWith('$recursive');
    return !named && refersToDefinitionsAlone(inner);
  });
}

function gather(value: JsonValue, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) gather(item, names);
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      names.add(name);
      gather(inner, names);
    }
  }
}

function cut(schema: JsonObject, names: ReadonlySet<string>): JsonObject {
  const inner = (value: JsonValue): JsonValue => (isObject(value) ? cut(value, names) : value);
  const each = (value: JsonObject, one: (name: string, schema: JsonValue) => JsonValue): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, one(name, member)]));
  return each(schema, (keyword, value) => {
    if (keyword === 'properties' && isObject(value)) {
      return each(value, (name, member) => (names.has(name) ? inner(member) : true));
    }
    if (MAP.has(keyword) && isObject(value)) return each(value, (_, member) => inner(member));
    if (LIST.has(keyword) && Array.isArray(value)) return value.map(inner);
    return ONE.has(keyword) ? inner(value) : value;
  });
}
