/** Intersects two schemas that hold at the same place, keyword by keyword. */
import type { JsonValue } from '../model/types.ts';
import { isJsonArray, isJsonObject, member, objectOf, sameJson } from './json.ts';
import type { JsonObject } from './json.ts';

/** Two keywords whose intersection has no keyword of its own. */
export class CannotMerge extends Error {
  readonly keyword: string;

  constructor(keyword: string) {
    super(`two different \`${keyword}\` hold at the same place`);
    this.name = 'CannotMerge';
    this.keyword = keyword;
  }
}

const LARGEST = new Set(['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties', 'minContains']);
const SMALLEST = new Set(['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties', 'maxContains']);
const FIRST = new Set([
  'description',
  'title',
  'default',
  'examples',
  '$comment',
  'unit',
  'id_kind',
  'completion',
  'x-mcp-header',
]);
const EITHER = new Set(['uniqueItems', 'deprecated', 'sensitive', 'extensible']);
const MEMBERS = new Set(['properties', 'required', 'additionalProperties', 'patternProperties', 'open', 'closed']);

/** The intersection, or undefined when no value satisfies both. */
export function mergeSchemas(left: JsonObject, right: JsonObject): JsonObject | undefined {
  const merged = new Map<string, JsonValue>();
  const type = intersectTypes(member(left, 'type'), member(right, 'type'));
  if (type === 'none') return undefined;
  if (type !== undefined) merged.set('type', type);
  const values = intersectValues(left, right);
  if (values !== undefined) {
    if (values.length === 0) return undefined;
    merged.set('enum', values);
  }
  for (const [key, value] of mergeMembers(left, right)) merged.set(key, value);
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    if (key === 'type' || key === 'enum' || key === 'const' || MEMBERS.has(key)) continue;
    const one = member(left, key);
    const two = member(right, key);
    const value = one === undefined ? two : two === undefined ? one : intersectKeyword(key, one, two);
    if (value !== undefined) merged.set(key, value);
  }
  return objectOf(merged);
}

function intersectKeyword(key: string, left: JsonValue, right: JsonValue): JsonValue {
  if (FIRST.has(key) || sameJson(left, right)) return left;
  if (EITHER.has(key)) return left === true || right === true;
  if (typeof left === 'number' && typeof right === 'number') {
    if (LARGEST.has(key)) return Math.max(left, right);
    if (SMALLEST.has(key)) return Math.min(left, right);
  }
  if (key === 'items' || key === 'propertyNames') return both(left, right);
  throw new CannotMerge(key);
}

const both = (left: JsonValue, right: JsonValue): JsonValue =>
  sameJson(left, right) ? left : { allOf: [left, right] };

function typesOf(type: JsonValue | undefined): string[] | undefined {
  if (type === undefined) return undefined;
  return (isJsonArray(type) ? type : [type]).map(String);
}

function intersectTypes(left: JsonValue | undefined, right: JsonValue | undefined): JsonValue | undefined {
  const one = typesOf(left);
  const two = typesOf(right);
  if (one === undefined) return right;
  if (two === undefined) return left;
  const shared = new Set<string>();
  for (const a of one) {
    for (const b of two) {
      if (a === b) shared.add(a);
      else if ((a === 'integer' && b === 'number') || (a === 'number' && b === 'integer')) shared.add('integer');
    }
  }
  if (shared.size === 0) return 'none';
  const [first = 'none', ...more] = shared;
  return more.length === 0 ? first : [first, ...more];
}

/** The allowed values of one schema, when it lists them. */
export function valuesOf(schema: JsonObject): readonly JsonValue[] | undefined {
  const constant = member(schema, 'const');
  const list = member(schema, 'enum');
  const values = isJsonArray(list) ? list : undefined;
  if (constant === undefined) return values;
  return values === undefined || values.some((value) => sameJson(value, constant)) ? [constant] : [];
}

function intersectValues(left: JsonObject, right: JsonObject): readonly JsonValue[] | undefined {
  const one = valuesOf(left);
  const two = valuesOf(right);
  if (one === undefined) return two;
  if (two === undefined) return one;
  return one.filter((value) => two.some((other) => sameJson(value, other)));
}

/** `properties`, `required` and what closes an object belong together: a member only one side knows meets the other's rest. */
function mergeMembers(left: JsonObject, right: JsonObject): Map<string, JsonValue> {
  const merged = new Map<string, JsonValue>();
  const [leftProperties, rightProperties] = [record(left, 'properties'), record(right, 'properties')];
  const names = new Set([...Object.keys(leftProperties), ...Object.keys(rightProperties)]);
  const properties: [string, JsonValue][] = [];
  for (const name of names) {
    const one = member(leftProperties, name) ?? restFor(left, name);
    const two = member(rightProperties, name) ?? restFor(right, name);
    if (one === undefined || two === undefined) properties.push([name, one ?? two ?? true]);
    else properties.push([name, one === false || two === false ? false : both(one, two)]);
  }
  if (Object.hasOwn(left, 'properties') || Object.hasOwn(right, 'properties')) {
    merged.set('properties', objectOf(properties));
  }
  const required = [...new Set([...list(left, 'required'), ...list(right, 'required')])];
  if (required.length > 0) merged.set('required', required);
  mergeRest(left, right, merged);
  return merged;
}

function mergeRest(left: JsonObject, right: JsonObject, merged: Map<string, JsonValue>): void {
  const [leftPatterns, rightPatterns] = [record(left, 'patternProperties'), record(right, 'patternProperties')];
  const [one, two] = [member(left, 'additionalProperties'), member(right, 'additionalProperties')];
  const patterns = { ...leftPatterns };
  for (const [pattern, schema] of Object.entries(rightPatterns)) {
    const known = member(leftPatterns, pattern);
    patterns[pattern] = known === undefined ? schema : both(known, schema);
  }
  const onlyOneSide = Object.keys(leftPatterns).join() !== Object.keys(rightPatterns).join();
  if (onlyOneSide && Object.keys(patterns).length > 0 && (one !== undefined || two !== undefined)) {
    throw new CannotMerge('patternProperties');
  }
  if (Object.keys(patterns).length > 0) merged.set('patternProperties', patterns);
  const rest =
    one === undefined ? two : two === undefined ? one : one === false || two === false ? false : both(one, two);
  if (rest !== undefined) merged.set('additionalProperties', rest);
  const open = member(left, 'open') ?? member(right, 'open');
  if (open !== undefined) merged.set('open', open);
}

/** What a side says about a member it does not name. */
function restFor(schema: JsonObject, name: string): JsonValue | undefined {
  const matching = Object.keys(record(schema, 'patternProperties')).filter((pattern) =>
    new RegExp(pattern, 'u').test(name),
  );
  const [only] = matching;
  if (matching.length > 1) throw new CannotMerge('patternProperties');
  return only === undefined ? member(schema, 'additionalProperties') : record(schema, 'patternProperties')[only];
}

function record(schema: JsonObject, key: string): JsonObject {
  const value = member(schema, key);
  return isJsonObject(value) ? value : {};
}

function list(schema: JsonObject, key: string): string[] {
  const value = member(schema, key);
  return isJsonArray(value) ? value.map(String) : [];
}
