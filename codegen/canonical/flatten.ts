/**
 * Resolves composition: a schema becomes the list of its alternatives, each without `allOf`, `anyOf`, `oneOf`,
 * `dependentRequired`, `dependentSchemas` or a reference beside other keywords. A value is valid when it fits at
 * least one alternative, and alternatives of one `oneOf` must later prove that they exclude each other.
 */
import type { JsonPath, JsonSchema, JsonValue } from '../model/types.ts';
import { isJsonArray, isJsonObject, member, objectOf } from './json.ts';
import type { JsonObject } from './json.ts';
import { CannotMerge, mergeSchemas } from './merge.ts';
import type { CanonicalFault } from './node.ts';

export interface Alternative {
  readonly schema: JsonObject;
  /** Which branch of which `oneOf` was taken, by the path of that `oneOf`. */
  readonly choices: ReadonlyMap<string, number>;
}

export interface FlattenContext {
  readonly resolve: (ref: string) => JsonSchema | undefined;
  readonly fault: (fault: CanonicalFault) => void;
}

const MOST_ALTERNATIVES = 64;
const APPLICATORS = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
]);
const ANNOTATIONS = new Set([
  'description',
  'title',
  'default',
  'examples',
  'deprecated',
  '$comment',
  'unit',
  'id_kind',
  'sensitive',
  'completion',
  'x-mcp-header',
  'extensible',
]);
const REFUSED = ['if', 'then', 'else', 'not', 'unevaluatedItems'];
const OBJECT_WORDS = [
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'unevaluatedProperties',
  'dependentRequired',
  'dependentSchemas',
  'open',
];

const absent = (name: string): Alternative => ({ schema: { properties: { [name]: false } }, choices: new Map() });
const NO_CHOICES: ReadonlyMap<string, number> = new Map();
const ONE: Alternative = { schema: {}, choices: new Map() };

/** True when the schema says by itself that its value is an object. */
function speaksOfObjects(schema: JsonObject): boolean {
  return member(schema, 'type') === 'object' || OBJECT_WORDS.some((word) => Object.hasOwn(schema, word));
}

/** A reference with nothing but annotations beside it. */
export function isPlainRef(schema: JsonObject): boolean {
  return Object.hasOwn(schema, '$ref') && Object.keys(schema).every((key) => key === '$ref' || ANNOTATIONS.has(key));
}

export function flatten(schema: JsonObject, path: JsonPath, context: FlattenContext): readonly Alternative[] {
  if (!Object.keys(schema).some((key) => APPLICATORS.has(key) || key === '$ref' || REFUSED.includes(key)))
    return [{ schema, choices: NO_CHOICES }];
  const body = isPlainRef(schema) ? schema : withoutNotes(schema);
  return new Flattener(context).alternatives(body, path, false, []);
}

class Flattener {
  readonly #context: FlattenContext;

  constructor(context: FlattenContext) {
    this.#context = context;
  }

  alternatives(
    schema: JsonObject,
    path: JsonPath,
    fragment: boolean,
    trail: readonly string[],
  ): readonly Alternative[] {
    for (const word of REFUSED) if (Object.hasOwn(schema, word)) this.#refuse([...path, word], word);
    if (isPlainRef(schema) && !fragment) return [{ schema, choices: new Map() }];
    let found: readonly Alternative[] = [{ schema: withoutApplicators(schema), choices: new Map() }];
    const ref = member(schema, '$ref');
    if (typeof ref === 'string') found = this.#cross(found, this.#target(ref, path, trail), path);
    const composite = fragment || speaksOfObjects(schema) || Object.hasOwn(schema, 'allOf') || ref !== undefined;
    for (const [index, branch] of branchesOf(schema, 'allOf').entries()) {
      found = this.#cross(found, this.alternatives(branch, [...path, 'allOf', index], true, trail), path);
    }
    found = this.#crossUnions(schema, path, composite, trail, found);
    for (const part of this.#dependencies(schema, path, trail)) found = this.#cross(found, part, path);
    if (!Object.hasOwn(schema, 'unevaluatedProperties')) return found;
    const rest = member(schema, 'unevaluatedProperties') ?? true;
    return found.map((one) => ({ ...one, schema: closeWith(one.schema, rest) }));
  }

  #crossUnions(
    schema: JsonObject,
    path: JsonPath,
    composite: boolean,
    trail: readonly string[],
    start: readonly Alternative[],
  ): readonly Alternative[] {
    let found = start;
    const any = branchesOf(schema, 'anyOf').map((branch, index) =>
      this.alternatives(branch, [...path, 'anyOf', index], composite, trail),
    );
    if (any.length > 0) found = this.#cross(found, composite ? this.#combined(any, path) : any.flat(), path);
    const one = branchesOf(schema, 'oneOf').map((branch, index) => {
      const choice = JSON.stringify([...path, 'oneOf']);
      const inner = this.alternatives(branch, [...path, 'oneOf', index], composite, trail);
      return inner.map((each) => ({ ...each, choices: new Map([...each.choices, [choice, index]]) }));
    });
    return one.length > 0 ? this.#cross(found, one.flat(), path) : found;
  }

  /**
   * Several branches of an `anyOf` may hold at once, and then the members of all of them are known. Where branches
   * name different members the closed alternatives are therefore every non-empty combination.
   */
  #combined(branches: readonly (readonly Alternative[])[], path: JsonPath): readonly Alternative[] {
    const names = branches.map((branch) =>
      branch
        .map(({ schema }) =>
          Object.keys(asRecord(member(schema, 'properties')))
            .sort()
            .join(),
        )
        .join(';'),
    );
    if (new Set(names).size === 1) return branches.flat();
    const size = 2 ** branches.length - 1;
    if (size > MOST_ALTERNATIVES) {
      this.#context.fault(tooMany([...path, 'anyOf']));
      return branches.flat();
    }
    const result: Alternative[] = [];
    for (let mask = 1; mask <= size; mask += 1) {
      let part: readonly Alternative[] = [ONE];
      for (const [index, branch] of branches.entries())
        if ((mask & (2 ** index)) !== 0) part = this.#cross(part, branch, path);
      result.push(...part);
    }
    return result;
  }

  /** Without the member, or with it and what it needs. */
  #dependencies(schema: JsonObject, path: JsonPath, trail: readonly string[]): readonly (readonly Alternative[])[] {
    const parts: (readonly Alternative[])[] = [];
    for (const [name, needs] of Object.entries(asRecord(member(schema, 'dependentRequired')))) {
      const required = [name, ...(isJsonArray(needs) ? needs : [])];
      parts.push([absent(name), { schema: { required }, choices: new Map() }]);
    }
    for (const [name, needs] of Object.entries(asRecord(member(schema, 'dependentSchemas')))) {
      const inner = this.alternatives(asRecord(needs), [...path, 'dependentSchemas', name], true, trail);
      const present: Alternative = { schema: { required: [name] }, choices: new Map() };
      parts.push([absent(name), ...this.#cross([present], inner, path)]);
    }
    return parts;
  }

  #target(ref: string, path: JsonPath, trail: readonly string[]): readonly Alternative[] {
    const target = this.#context.resolve(ref);
    if (trail.includes(ref)) {
      this.#context.fault({
        path: [...path, '$ref'],
        message: `\`${ref}\` refers to itself in the same place.`,
        remedy: 'Put the repeated part under a property.',
      });
      return [ONE];
    }
    if (!isJsonObject(target)) return [ONE];
    const body = asPart(target);
    return this.alternatives(body, path, true, [...trail, ref]);
  }

  #cross(left: readonly Alternative[], right: readonly Alternative[], path: JsonPath): readonly Alternative[] {
    const result: Alternative[] = [];
    if (left.length * right.length > MOST_ALTERNATIVES) {
      this.#context.fault(tooMany(path));
      return left;
    }
    for (const one of left) {
      for (const two of right) {
        const schema = this.#merge(one.schema, two.schema, path);
        if (schema !== undefined) result.push({ schema, choices: new Map([...one.choices, ...two.choices]) });
      }
    }
    return result;
  }

  #merge(left: JsonObject, right: JsonObject, path: JsonPath): JsonObject | undefined {
    try {
      return mergeSchemas(left, right);
    } catch (error) {
      if (!(error instanceof CannotMerge)) throw error;
      this.#context.fault({ path, message: `Here ${error.message}.`, remedy: 'Write the combined keyword once.' });
      return left;
    }
  }

  #refuse(path: JsonPath, keyword: string): void {
    this.#context.fault({
      path,
      message: `\`${keyword}\` has no exact type.`,
      remedy: 'Write the cases as separate shapes, each with a constant that tells them apart.',
    });
  }
}

const tooMany = (path: JsonPath): CanonicalFault => ({
  path,
  message: `The composition has more than ${MOST_ALTERNATIVES} alternatives.`,
  remedy: 'Split it into separate shapes.',
});

function withoutApplicators(schema: JsonObject): JsonObject {
  return objectOf(
    Object.entries(schema).filter(([key]) => !APPLICATORS.has(key) && key !== '$ref' && !REFUSED.includes(key)),
  );
}

/** Annotations describe the place they stand at, not the alternatives or the place that refers to a model. */
function withoutNotes(schema: JsonObject): JsonObject {
  return objectOf(Object.entries(schema).filter(([key]) => !ANNOTATIONS.has(key)));
}

/** A shared shape is closed as a whole value; as a part of another it leaves the closing to the whole. */
function asPart(schema: JsonObject): JsonObject {
  const closers = new Set(['additionalProperties', 'unevaluatedProperties']);
  return objectOf(
    Object.entries(withoutNotes(schema)).filter(([key, value]) => !(closers.has(key) && value === false)),
  );
}

function closeWith(schema: JsonObject, rest: JsonValue): JsonObject {
  if (Object.hasOwn(schema, 'additionalProperties')) return schema;
  return { ...schema, additionalProperties: rest };
}

function branchesOf(schema: JsonObject, keyword: string): readonly JsonObject[] {
  const value = member(schema, keyword);
  if (!isJsonArray(value)) return [];
  return value.map((branch) => (isJsonObject(branch) ? branch : branch === false ? { enum: [] } : {}));
}

function asRecord(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
