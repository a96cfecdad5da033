/** The schemas that bind the two ends: what a caller may send, and what a reader was promised. */
import { isJsonArray, isJsonObject, objectOf } from '../../canonical/json.ts';
import type { JsonSchema, JsonValue } from '../../model/types.ts';
import type { Surface } from '../surface/types.ts';

type Definitions = Surface['definitions'];

/** One document: the schema with all it refers to. */
export function whole(schema: JsonSchema, definitions: Definitions): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const own = schema['$defs'];
  const local = isJsonObject(own) ? own : {};
  const found = new Set<string>();
  const visit = (value: JsonValue): void => {
    for (const name of referenced(value)) {
      const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
      if (target === undefined || found.has(name) || Object.hasOwn(local, name)) continue;
      found.add(name);
      visit(target.schema);
    }
  };
  visit(schema);
  if (found.size === 0) return schema;
  const shared = [...found].sort().map((name) => [name, definitions[name]?.schema ?? true] as const);
  return { ...schema, $defs: { ...local, ...objectOf(shared) } };
}

function referenced(value: JsonValue): string[] {
  if (isJsonArray(value)) return value.flatMap(referenced);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([keyword, inner]) =>
    keyword === '$ref' && typeof inner === 'string' ? [inner.replace(/^#\/\$defs\//u, '')] : referenced(inner),
  );
}

/** Members of these hold schemas by name: a property may be called `required` or `oneOf`. */
export const NAMED = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
/** Members of these hold values, never schemas. */
export const VALUES = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);

type Change = (schema: { readonly [keyword: string]: JsonValue }) => { readonly [keyword: string]: JsonValue };

/** Applies a change to every schema of a document, inner ones first. `skip` names keywords that stay as they are. */
function mapSchemas(schema: JsonValue, change: Change, skip: ReadonlySet<string>): JsonValue {
  if (isJsonArray(schema)) return schema.map((one) => mapSchemas(one, change, skip));
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
    if (VALUES.has(keyword) || skip.has(keyword)) return [keyword, value];
    if (!NAMED.has(keyword) || !isJsonObject(value)) return [keyword, mapSchemas(value, change, skip)];
    const named = Object.entries(value).map(([name, one]) => [name, mapSchemas(one, change, skip)] as const);
    return [keyword, objectOf(named)];
  });
  return change(objectOf(entries));
}

const NEGATED = new Set(['not', 'if']);

/**
 * What a reader may rely on: objects may gain members, lists marked as growing may grow. A choice that told its
 * members apart by closed objects would match twice once they are open, so `oneOf` is read as `anyOf`.
 */
export function promised(schema: JsonSchema): JsonSchema {
  const open: Change = ({ additionalProperties, unevaluatedProperties, oneOf, enum: members, ...rest }) => ({
    ...rest,
    ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
    ...(unevaluatedProperties === undefined || unevaluatedProperties === false ? {} : { unevaluatedProperties }),
    ...(oneOf === undefined ? {} : rest['anyOf'] === undefined ? { anyOf: oneOf } : { allOf: [{ anyOf: oneOf }] }),
    ...(members === undefined || rest['extensible'] === true ? {} : { enum: members }),
  });
  // because a schema stays a schema
  return mapSchemas(schema, open, NEGATED) as JsonSchema;
}

/** What a caller may send to a server that fills defaults in before it looks: such members may be left out. */
export function callable(schema: JsonSchema): JsonSchema {
  const relax: Change = (node) => {
    const { required, ...rest } = node;
    const properties = node['properties'];
    if (!isJsonArray(required) || !isJsonObject(properties)) return node;
    const needed = required.filter((name) => {
      const inner = typeof name === 'string' && Object.hasOwn(properties, name) ? properties[name] : undefined;
      return !(isJsonObject(inner) && Object.hasOwn(inner, 'default'));
    });
    return needed.length === 0 ? rest : { ...rest, required: needed };
  };
  // because a schema stays a schema
  return mapSchemas(schema, relax, NEGATED) as JsonSchema;
}
