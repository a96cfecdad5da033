import type { JsonSchema, JsonValue } from '../model/types.ts';
import { canonical, isObject, ownEntry, type JsonObject } from '../contain/json.ts';

/** Keywords that decide nothing where they stand. */
const SILENT = new Set([
  '$defs',
  '$comment',
  '$schema',
  'title',
  'description',
  'default',
  'deprecated',
  'examples',
  'readOnly',
  'writeOnly',
]);

/** Keywords a schema may hold and still take `null` in beside its type. */
const FOLDABLE = new Set([
  'type',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'properties',
  'required',
  'additionalProperties',
]);

/** Keywords whose reach depends on the other keywords of the same object: no merging across them. */
const SCOPED = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'items', 'prefixItems'];

/** A schema as a plain object: references followed, `allOf` merged where exact, nullable forms folded, prose gone. */
export function readNode(schema: JsonSchema | JsonValue, root: JsonSchema, seen: readonly string[] = []): JsonObject {
  if (schema === true || !(isObject(schema) || schema === false)) return {};
  if (schema === false) return { not: {} };
  const plain = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !SILENT.has(keyword)));
  const reference = ownEntry(plain, '$ref');
  if (typeof reference !== 'string') return fold(merge(plain, root, seen), root, seen);
  const target = seen.includes(reference) ? undefined : lookUp(reference, root);
  if (target === undefined) return plain;
  const { $ref: _, ...rest } = plain;
  const members = ownEntry(rest, 'allOf');
  const read = readNode(target, root, [...seen, reference]);
  if (Object.keys(rest).length === 0) return read;
  return merge({ ...rest, allOf: [read, ...(Array.isArray(members) ? members : [])] }, root, seen);
}

function lookUp(reference: string, root: JsonSchema): JsonValue | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let found: JsonValue | undefined = root;
  for (const raw of reference.slice(2).split('/')) {
    const step = decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
    if (isObject(found)) found = ownEntry(found, step);
    else found = Array.isArray(found) ? found[Number(step)] : undefined;
  }
  return found;
}

function merge(node: JsonObject, root: JsonSchema, seen: readonly string[]): JsonObject {
  const { allOf, ...rest } = node;
  if (!Array.isArray(allOf)) return node;
  let merged: JsonObject = rest;
  const left: JsonValue[] = [];
  for (const member of allOf) {
    const read = readNode(member, root, seen);
    const joined = join(merged, read);
    if (joined === undefined) left.push(member);
    else merged = joined;
  }
  return left.length === 0 ? merged : { ...merged, allOf: left };
}

/** Both objects in one, or undefined when a keyword would mean something else there. */
function join(a: JsonObject, b: JsonObject): JsonObject | undefined {
  const scoped = [a, b].some((node) => SCOPED.some((keyword) => Object.hasOwn(node, keyword)));
  if (scoped && Object.keys(a).length > 0 && Object.keys(b).length > 0) return undefined;
  const shared = Object.keys(a).filter((keyword) => Object.hasOwn(b, keyword));
  const result: Record<string, JsonValue> = { ...a, ...b };
  for (const keyword of shared) {
    const [left, right] = [a[keyword] ?? null, b[keyword] ?? null];
    if (canonical(left) === canonical(right)) continue;
    if (keyword === 'required' && Array.isArray(left) && Array.isArray(right)) {
      result[keyword] = [...new Set([...left, ...right])];
    } else if (keyword === 'properties' && isObject(left) && isObject(right)) {
      if (Object.keys(left).some((name) => Object.hasOwn(right, name))) return undefined;
      result[keyword] = { ...left, ...right };
    } else return undefined;
  }
  return result;
}

/** `anyOf: [X, {type: null}]` reads as X with one more type. */
function fold(node: JsonObject, root: JsonSchema, seen: readonly string[]): JsonObject {
  for (const keyword of ['anyOf', 'oneOf']) {
    const members = ownEntry(node, keyword);
    if (!Array.isArray(members) || members.length !== 2) continue;
    const read = members.map((member: JsonValue) => readNode(member, root, seen));
    const value = read.find((member) => !isNull(member));
    if (value === undefined || !read.some(isNull)) continue;
    const { [keyword]: _, ...rest } = node;
    const folded = withNull(value);
    if (folded !== undefined && Object.keys(rest).length === 0) return folded;
  }
  return node;
}

function isNull(node: JsonObject): boolean {
  const text = canonical(node);
  return text === '{"type":"null"}' || text === '{"const":null}' || text === '{"enum":[null]}';
}

function withNull(node: JsonObject): JsonObject | undefined {
  const type = ownEntry(node, 'type');
  const { enum: members, ...rest } = node;
  if (type === undefined || !Object.keys(rest).every((keyword) => FOLDABLE.has(keyword))) return undefined;
  const types = Array.isArray(type) ? type : [type];
  const widened = { ...rest, type: types.includes('null') ? types : [...types, 'null'] };
  return Array.isArray(members) ? { ...widened, enum: [...members, null] } : widened;
}
