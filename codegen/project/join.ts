/** Joins portable schemas into one that accepts whatever any of them accepts. */
import { canonicalText, isJsonArray, isJsonObject, member, objectOf } from '../canonical/json.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { JsonValue } from '../model/types.ts';

export function joinSchemas(schemas: readonly JsonObject[]): JsonObject {
  const distinct = [...new Map(schemas.flatMap(choices).map((schema) => [canonicalText(schema), schema])).values()];
  const [first = {}] = distinct;
  if (distinct.length < 2) return first;
  if (distinct.some((schema) => !Object.hasOwn(schema, 'type'))) return {};
  const byType = new Map<string, JsonObject[]>();
  for (const schema of distinct) {
    const type = typeOf(schema);
    byType.set(type, [...(byType.get(type) ?? []), schema]);
  }
  const [integers, numbers] = [byType.get('integer'), byType.get('number')];
  if (integers !== undefined && numbers !== undefined) {
    byType.delete('integer');
    byType.set('number', [...numbers, ...integers]);
  }
  const joined = [...byType].map(([type, group]) => joinAlike(type, group));
  const [only] = joined;
  return joined.length === 1 && only !== undefined ? only : { anyOf: joined };
}

/** The schema, or what it is a choice of. */
function choices(schema: JsonObject): readonly JsonObject[] {
  const inner = member(schema, 'anyOf');
  return isJsonArray(inner) ? inner.filter(isJsonObject).flatMap(choices) : [schema];
}

function typeOf(schema: JsonObject): string {
  const type = member(schema, 'type');
  return typeof type === 'string' ? type : '';
}

function joinAlike(type: string, schemas: readonly JsonObject[]): JsonObject {
  const [first = {}] = schemas;
  if (schemas.length === 1) return first;
  if (type === 'object') return joinObjects(schemas);
  if (type === 'array') {
    const items = joinSchemas(schemas.map((schema) => record(schema['items'])));
    return { type, ...(Object.keys(items).length === 0 ? {} : { items }) };
  }
  return type === 'string' ? joinTexts(schemas) : withDescription({ type }, schemas);
}

function joinTexts(schemas: readonly JsonObject[]): JsonObject {
  const values: JsonValue[] = [];
  for (const schema of schemas) {
    const list = member(schema, 'enum');
    if (!isJsonArray(list)) return withDescription({ type: 'string' }, schemas);
    values.push(...list);
  }
  return withDescription({ type: 'string', enum: [...new Set(values)] }, schemas);
}

function joinObjects(schemas: readonly JsonObject[]): JsonObject {
  const everyName = new Set(schemas.flatMap((schema) => Object.keys(record(schema['properties']))));
  // An open shape that does not name a member accepts it with any value.
  const names = [...everyName].filter((name) =>
    schemas.every((schema) => knows(schema, name) || schema['additionalProperties'] === false),
  );
  const properties = objectOf(
    names.map((name) => {
      const known = schemas.map((schema) => member(record(schema['properties']), name)).filter(isJsonObject);
      return [name, joinSchemas(known)];
    }),
  );
  const required = names.filter((name) => schemas.every((schema) => listed(schema['required'], name)));
  const closed = schemas.every((schema) => schema['additionalProperties'] === false);
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(closed ? { additionalProperties: false } : {}),
  };
}

const knows = (schema: JsonObject, name: string): boolean => Object.hasOwn(record(schema['properties']), name);

function withDescription(schema: JsonObject, from: readonly JsonObject[]): JsonObject {
  const texts = [...new Set(from.map((one) => member(one, 'description')).filter((text) => typeof text === 'string'))];
  return texts.length === 0 ? schema : { ...schema, description: texts.join(' Or: ') };
}

const listed = (list: JsonValue | undefined, name: string): boolean => isJsonArray(list) && list.includes(name);

function record(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
