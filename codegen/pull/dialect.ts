import { isObject, type JsonObject } from '../contain/json.ts';
import type { JsonSchema, JsonValue } from '../model/types.ts';

const OLD = /json-schema\.org\/draft-0?[4-7]\b/u;

/** Keywords whose value is one schema, a list of schemas, or schemas by name; everything else is data. */
const ONE = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
];
const LIST = ['allOf', 'anyOf', 'oneOf'];
const NAMED = ['$defs', 'definitions', 'patternProperties', 'properties'];

/**
 * A schema as 2020-12 reads it. Drafts 4 to 7 spell tuples, dependencies and exclusive bounds in another way and
 * ignore what stands beside `$ref`; MCP lets a server send them when `$schema` says so.
 */
export function modernSchema(schema: JsonObject): JsonSchema {
  const { $schema, ...rest } = schema;
  return typeof $schema === 'string' && OLD.test($schema) ? modern(rest) : rest;
}

function modern(value: JsonValue): JsonValue & JsonSchema {
  if (!isObject(value)) return value === false ? false : value === true ? true : {};
  const reference = value['$ref'];
  if (typeof reference === 'string') return { ...pick(value, NAMED.slice(0, 2)), $ref: reference };
  const entries = Object.entries(value).map(([keyword, inner]): [string, JsonValue] => {
    if (LIST.includes(keyword) && Array.isArray(inner)) return [keyword, inner.map(modern)];
    if (NAMED.includes(keyword) && isObject(inner)) return [keyword, mapped(inner)];
    if (ONE.includes(keyword) && !Array.isArray(inner)) return [keyword, modern(inner)];
    return [keyword, inner];
  });
  return bounds(dependencies(tuples(Object.fromEntries(entries))));
}

function pick(value: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(
    keywords.flatMap((keyword) => (isObject(value[keyword]) ? [[keyword, mapped(value[keyword])]] : [])),
  );
}

function mapped(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, modern(inner)]));
}

function tuples(value: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = value;
  if (!Array.isArray(items)) return items === undefined ? rest : { ...rest, items };
  return {
    ...rest,
    ...(items.length === 0 ? {} : { prefixItems: items.map(modern) }),
    ...(additionalItems === undefined ? {} : { items: additionalItems }),
  };
}

function dependencies(value: JsonObject): JsonObject {
  const { dependencies: both, ...rest } = value;
  if (!isObject(both)) return rest;
  const entries = Object.entries(both);
  const lists = entries.filter(([, one]) => Array.isArray(one));
  const schemas = entries.filter(([, one]) => !Array.isArray(one)).map(([name, one]) => [name, modern(one)]);
  return {
    ...rest,
    ...(lists.length === 0 ? {} : { dependentRequired: Object.fromEntries(lists) }),
    ...(schemas.length === 0 ? {} : { dependentSchemas: Object.fromEntries(schemas) }),
  };
}

/** Draft 4 marks a bound as exclusive with a boolean beside it. */
function bounds(value: JsonObject): JsonObject {
  let result = value;
  for (const [bound, mark] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const marked = result[mark];
    if (typeof marked !== 'boolean') continue;
    const { [bound]: limit, [mark]: _, ...rest } = result;
    result = limit === undefined ? rest : { ...rest, [marked ? mark : bound]: limit };
  }
  return result;
}
