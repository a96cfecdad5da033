/**
 * Turns an authored body into the schema the model holds: references point into the bundle, objects carry their type
 * and are closed. What was written stays where it was, so that positions of the authored file remain valid.
 */
import { isList, isObject } from '../grammar/value-kinds.ts';
import { SUBSCHEMAS } from '../grammar/schema-body.ts';
import type { JsonPath, JsonSchema, JsonValue } from './types.ts';

type Keywords = { readonly [keyword: string]: JsonValue };
type Draft = { [keyword: string]: JsonValue };

/** `value`: the schema describes a whole value and closes it. `part`: it only adds to a schema around it. */
type Mode = 'value' | 'part';

const SAME_VALUE: ReadonlySet<string> = new Set(['allOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);
const COMPOSERS = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', '$ref'] as const;
const CLOSERS = ['additionalProperties', 'unevaluatedProperties', 'open'] as const;
const OBJECT_KEYWORDS = ['properties', 'patternProperties', 'required', 'allOf', '$ref'] as const;

/** Resolves one authored reference to its bundle key and reports it when it names nothing. */
export type ResolveReference = (ref: string, path: JsonPath) => string;

function mayBeObject(schema: Keywords): boolean {
  const { type } = schema;
  if (type === undefined) return isObject(schema['properties']) || isObject(schema['patternProperties']);
  return type === 'object' || (isList(type) && type.includes('object'));
}

function declaresMembers(schema: JsonValue | undefined): boolean {
  if (isList(schema)) return schema.some(declaresMembers);
  if (!isObject(schema)) return false;
  if ('properties' in schema || 'patternProperties' in schema || '$ref' in schema) return true;
  return COMPOSERS.some((keyword) => declaresMembers(schema[keyword]));
}

function close(draft: Draft): void {
  if (!mayBeObject(draft) || CLOSERS.some((keyword) => keyword in draft)) return;
  const { dependentSchemas } = draft;
  const composed =
    '$ref' in draft ||
    COMPOSERS.some((keyword) => keyword !== 'dependentSchemas' && declaresMembers(draft[keyword])) ||
    (isObject(dependentSchemas) && Object.values(dependentSchemas).some(declaresMembers));
  draft[composed ? 'unevaluatedProperties' : 'additionalProperties'] = false;
}

interface Inner {
  readonly path: JsonPath;
  readonly resolve: ResolveReference;
  readonly mode: Mode;
}

function normaliseAll(value: JsonValue, { path, resolve, mode }: Inner): JsonValue {
  if (isList(value)) return value.map((one, index) => normalise(one, [...path, index], resolve, mode));
  if (!isObject(value)) return value;
  const members: { [name: string]: JsonValue } = {};
  for (const name of Object.keys(value)) members[name] = normalise(value[name] ?? null, [...path, name], resolve, mode);
  return members;
}

export function normalise(
  schema: JsonValue,
  path: JsonPath,
  resolve: ResolveReference,
  mode: Mode = 'value',
): JsonSchema {
  if (!isObject(schema)) return schema === true || schema === false ? schema : {};
  const draft: Draft = {};
  const branchMode =
    mode === 'part' || OBJECT_KEYWORDS.some((keyword) => keyword in schema) || schema['type'] === 'object'
      ? 'part'
      : 'value';
  const modeOf = (keyword: string): Mode => {
    if (keyword === 'anyOf' || keyword === 'oneOf') return branchMode;
    return SAME_VALUE.has(keyword) ? 'part' : 'value';
  };
  if (mode === 'value' && !('type' in schema) && isObject(schema['properties'])) draft['type'] = 'object';
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword] ?? null;
    const holds = SUBSCHEMAS.get(keyword);
    if (keyword === '$defs' || keyword === '$schema' || keyword === '$comment') continue;
    if (keyword === '$ref' && typeof value === 'string')
      draft['$ref'] = `#/$defs/${resolve(value, [...path, keyword])}`;
    else if (holds === undefined) draft[keyword] = value;
    else {
      const inner = { path: [...path, keyword], resolve, mode: modeOf(keyword) };
      draft[keyword] = holds === 'one' ? normalise(value, inner.path, resolve, inner.mode) : normaliseAll(value, inner);
    }
  }
  if (mode === 'value') close(draft);
  return draft;
}

/** As `normalise`, for bodies whose root is an object by grammar. */
export function normaliseObject(schema: JsonValue, path: JsonPath, resolve: ResolveReference): JsonSchema {
  const typed = isObject(schema) && !('type' in schema) && !('$ref' in schema) ? { type: 'object', ...schema } : schema;
  return normalise(typed, path, resolve);
}
