/**
 * Checks a JSON value against a JSON Schema 2020-12 by walking both. The compiler looks at each contract once, where
 * generating and compiling a validator costs far more than one walk; what is served is validated by generated code,
 * and tests hold the two to the same verdicts.
 */
import { isDeepStrictEqual } from 'node:util';
import { didYouMean } from '../load/did-you-mean.ts';
import type { JsonSchema, JsonValue } from '../model/types.ts';
import { FORMATS } from './formats.ts';
import { canonical, codePoints, hasType, isList, isMultiple, isObject, typeOf, type Members } from './value-kinds.ts';

export interface ValueFault {
  readonly path: readonly (string | number)[];
  readonly keyword: string;
  readonly message: string;
  readonly remedy?: string;
  /** The fault is about the key at `path`, not about its value. */
  readonly key?: true;
  /** The member that is not there. */
  readonly missing?: string;
}

export interface CheckOptions {
  /** Finds what a `$ref` names. */
  readonly resolve: (ref: string) => JsonSchema | undefined;
  /** Patterns this refuses are not run; a hostile pattern must not stall the compiler. */
  readonly mayRun?: (pattern: string) => boolean;
}

type Keywords = { readonly [keyword: string]: JsonValue };

/** The way to a value, innermost step first: most checks find nothing and never need it written out. */
interface Trail {
  readonly up: Trail | undefined;
  readonly step: string | number;
}

/** Where a check stands and where its findings go. */
interface Frame {
  readonly trail: Trail | undefined;
  readonly faults: ValueFault[];
  /**
   * Member names and item indexes that some keyword has looked at: the annotations of 2020-12. Kept only where an
   * `unevaluated…` keyword will ask for them.
   */
  readonly seen: Set<string | number> | undefined;
}

/** An object that is being checked member by member. */
interface Holder {
  readonly schema: Keywords;
  readonly value: Members;
  readonly at: Frame;
  readonly depth: number;
}

const MAX_DEPTH = 200;
const patterns = new Map<string, RegExp | undefined>();

export function compilePattern(source: string): RegExp | undefined {
  if (!patterns.has(source)) {
    try {
      patterns.set(source, new RegExp(source, 'u'));
    } catch {
      patterns.set(source, undefined);
    }
  }
  return patterns.get(source);
}

class Checker {
  readonly #options: CheckOptions;

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /** Applies a schema to the value the frame stands at. */
  apply(schema: JsonValue, value: JsonValue, at: Frame, depth: number): void {
    if (depth > MAX_DEPTH) this.#fault(at, '$ref', 'is checked by a schema that never ends');
    else if (schema === false) this.#fault(at, 'false', 'is not allowed here');
    else if (isObject(schema)) {
      const asks = schema['unevaluatedProperties'] !== undefined || schema['unevaluatedItems'] !== undefined;
      if (!asks) {
        this.#object(schema, value, at, depth);
        return;
      }
      // What neighbours of this schema have looked at does not count for its own `unevaluated…`.
      const seen = new Set<string | number>();
      this.#object(schema, value, { ...at, seen }, depth);
      for (const one of seen) at.seen?.add(one);
    }
  }

  #child(schema: JsonValue, value: JsonValue, at: Frame, step: string | number, depth: number): void {
    this.apply(schema, value, { trail: { up: at.trail, step }, faults: at.faults, seen: undefined }, depth + 1);
  }

  /** Applies a schema whose faults may not count. */
  #try(schema: JsonValue, value: JsonValue, at: Frame, depth: number): Frame {
    const trial = { trail: at.trail, faults: [], seen: at.seen && new Set<string | number>() };
    this.apply(schema, value, trial, depth + 1);
    return trial;
  }

  #fault(at: Frame, keyword: string, message: string, extra: Partial<ValueFault> = {}): void {
    const path: (string | number)[] = [];
    for (let one = at.trail; one !== undefined; one = one.up) path.unshift(one.step);
    at.faults.push({ path, keyword, message, ...extra });
  }

  #keep(at: Frame, part: Frame): void {
    if (part.seen !== undefined) for (const one of part.seen) at.seen?.add(one);
  }

  #object(schema: Keywords, value: JsonValue, at: Frame, depth: number): void {
    if (!this.#type(schema, value, at)) return;
    this.#applicators(schema, value, at, depth);
    if (typeof value === 'string') this.#string(schema, value, at);
    else if (typeof value === 'number') this.#number(schema, value, at);
    else if (isList(value)) this.#list(schema, value, at, depth);
    else if (isObject(value)) this.#members(schema, value, at, depth);
  }

  #type(schema: Keywords, value: JsonValue, at: Frame): boolean {
    const { type, enum: allowed } = schema;
    const fits =
      typeof type === 'string'
        ? hasType(value, type)
        : !isList(type) || type.some((one) => typeof one === 'string' && hasType(value, one));
    if (!fits) {
      const types = (isList(type) ? type : [type]).filter((one) => typeof one === 'string').join(' or ');
      this.#fault(at, 'type', `must be ${types}, not ${typeOf(value)}`);
      return false;
    }
    if (isList(allowed) && !allowed.includes(value) && !allowed.some((one) => isDeepStrictEqual(one, value))) {
      const words = allowed.filter((one) => typeof one === 'string');
      const remedy = typeof value === 'string' ? didYouMean(value, words) : undefined;
      const shown = typeof value === 'string' ? `\`${value.slice(0, 60)}\`` : 'this value';
      this.#fault(at, 'enum', `cannot be ${shown}`, remedy === undefined ? {} : { remedy });
    }
    if (schema['const'] !== undefined && schema['const'] !== value && !isDeepStrictEqual(schema['const'], value)) {
      this.#fault(at, 'const', `must be ${JSON.stringify(schema['const'])}`);
    }
    return true;
  }

  #applicators(schema: Keywords, value: JsonValue, at: Frame, depth: number): void {
    const { $ref: ref, allOf, anyOf, oneOf, not } = schema;
    if (typeof ref === 'string') {
      const target = this.#options.resolve(ref);
      if (target !== undefined) this.apply(target, value, at, depth + 1);
    }
    if (isList(allOf)) for (const one of allOf) this.apply(one, value, at, depth + 1);
    if (isList(anyOf)) this.#branches('anyOf', anyOf, value, at, depth);
    if (isList(oneOf)) this.#branches('oneOf', oneOf, value, at, depth);
    if (not !== undefined && this.#try(not, value, at, depth).faults.length === 0) {
      this.#fault(at, 'not', 'is a value the schema excludes');
    }
    if (schema['if'] !== undefined) {
      const condition = this.#try(schema['if'], value, at, depth);
      const holds = condition.faults.length === 0;
      if (holds) this.#keep(at, condition);
      const consequence = schema[holds ? 'then' : 'else'];
      if (consequence !== undefined) this.apply(consequence, value, at, depth + 1);
    }
  }

  #branches(
    keyword: 'anyOf' | 'oneOf',
    branches: readonly JsonValue[],
    value: JsonValue,
    at: Frame,
    depth: number,
  ): void {
    const parts = branches.map((one) => this.#try(one, value, at, depth));
    const good = parts.filter(({ faults }) => faults.length === 0);
    for (const part of good) this.#keep(at, part);
    if (good.length === 0) {
      // The branch with the fewest faults is most likely the one that was meant.
      const [first, ...others] = parts;
      const near = others.reduce(
        (best, part) => (part.faults.length < (best?.faults.length ?? 0) ? part : best),
        first,
      );
      at.faults.push(...(near?.faults ?? []));
      if (near === undefined) this.#fault(at, keyword, 'matches no alternative');
    } else if (keyword === 'oneOf' && good.length > 1) {
      this.#fault(at, 'oneOf', `matches ${good.length} alternatives where exactly one may match`);
    }
  }

  #string(schema: Keywords, value: string, at: Frame): void {
    const { minLength, maxLength, pattern, format } = schema;
    const length = codePoints(value);
    if (typeof minLength === 'number' && length < minLength) {
      this.#fault(at, 'minLength', `has ${length} characters, at least ${minLength} are needed`);
    }
    if (typeof maxLength === 'number' && length > maxLength) {
      this.#fault(at, 'maxLength', `has ${length} characters, at most ${maxLength} are allowed`);
    }
    if (typeof pattern === 'string' && this.#matches(pattern, value) === false) {
      this.#fault(at, 'pattern', `does not match ${pattern}`);
    }
    if (typeof format === 'string' && FORMATS[format]?.(value) === false) {
      this.#fault(at, 'format', `is not a ${format}`);
    }
  }

  #matches(pattern: string, value: string): boolean | undefined {
    if (this.#options.mayRun?.(pattern) === false) return undefined;
    return compilePattern(pattern)?.test(value);
  }

  #number(schema: Keywords, value: number, at: Frame): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    if (typeof minimum === 'number' && value < minimum) this.#fault(at, 'minimum', `is less than ${minimum}`);
    if (typeof maximum === 'number' && value > maximum) this.#fault(at, 'maximum', `is more than ${maximum}`);
    if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
      this.#fault(at, 'exclusiveMinimum', `must be more than ${exclusiveMinimum}`);
    }
    if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
      this.#fault(at, 'exclusiveMaximum', `must be less than ${exclusiveMaximum}`);
    }
    if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf)) {
      this.#fault(at, 'multipleOf', `is not a multiple of ${multipleOf}`);
    }
  }

  #list(schema: Keywords, value: readonly JsonValue[], at: Frame, depth: number): void {
    const { minItems, maxItems, uniqueItems, prefixItems, items, unevaluatedItems } = schema;
    if (typeof minItems === 'number' && value.length < minItems) {
      this.#fault(at, 'minItems', `has ${value.length} items, at least ${minItems} are needed`);
    }
    if (typeof maxItems === 'number' && value.length > maxItems) {
      this.#fault(at, 'maxItems', `has ${value.length} items, at most ${maxItems} are allowed`);
    }
    if (uniqueItems === true && new Set(value.map(canonical)).size < value.length) {
      this.#fault(at, 'uniqueItems', 'holds the same item twice');
    }
    const prefix = isList(prefixItems) ? prefixItems : [];
    for (const [index, item] of value.entries()) {
      const schemaOfItem = prefix[index] ?? items;
      if (schemaOfItem === undefined) continue;
      at.seen?.add(index);
      this.#child(schemaOfItem, item, at, index, depth);
    }
    this.#contains(schema, value, at, depth);
    if (unevaluatedItems === undefined) return;
    for (const [index, item] of value.entries()) {
      if (at.seen?.has(index) === true) continue;
      this.#child(unevaluatedItems, item, at, index, depth);
      at.seen?.add(index);
    }
  }

  #contains(schema: Keywords, value: readonly JsonValue[], at: Frame, depth: number): void {
    const { contains, minContains = 1, maxContains } = schema;
    if (contains === undefined) return;
    let count = 0;
    for (const [index, item] of value.entries()) {
      if (this.#try(contains, item, { ...at, seen: undefined }, depth).faults.length > 0) continue;
      count += 1;
      at.seen?.add(index);
    }
    if (typeof minContains === 'number' && count < minContains) {
      this.#fault(at, 'contains', `holds ${count} of the items that must occur ${minContains} times`);
    }
    if (typeof maxContains === 'number' && count > maxContains) {
      this.#fault(at, 'maxContains', `holds ${count} of the items that may occur ${maxContains} times`);
    }
  }

  #members(schema: Keywords, value: Members, at: Frame, depth: number): void {
    const names = Object.keys(value);
    this.#counts(schema, names, at);
    const required = isList(schema['required']) ? schema['required'] : [];
    for (const name of required) {
      if (typeof name === 'string' && !Object.hasOwn(value, name)) {
        this.#fault(at, 'required', `needs the key \`${name}\``, { missing: name });
      }
    }
    const member = { schema, value, at, depth };
    for (const name of names) this.#member(member, name);
    this.#dependents(schema, value, at, depth);
    const { unevaluatedProperties } = schema;
    if (unevaluatedProperties === undefined) return;
    for (const name of names) {
      if (at.seen?.has(name) !== true) this.#rest('unevaluatedProperties', member, name);
      at.seen?.add(name);
    }
  }

  #counts(schema: Keywords, names: readonly string[], at: Frame): void {
    const { minProperties, maxProperties } = schema;
    if (typeof minProperties === 'number' && names.length < minProperties) {
      this.#fault(at, 'minProperties', `has ${names.length} members, at least ${minProperties} are needed`);
    }
    if (typeof maxProperties === 'number' && names.length > maxProperties) {
      this.#fault(at, 'maxProperties', `has ${names.length} members, at most ${maxProperties} are allowed`);
    }
  }

  #member({ schema, value, at, depth }: Holder, name: string): void {
    const member = value[name] ?? null;
    const { properties, patternProperties, additionalProperties, propertyNames } = schema;
    let known = false;
    if (isObject(properties) && Object.hasOwn(properties, name)) {
      known = true;
      this.#child(properties[name] ?? true, member, at, name, depth);
    }
    if (isObject(patternProperties)) {
      for (const [pattern, one] of Object.entries(patternProperties)) {
        if (this.#matches(pattern, name) !== true) continue;
        known = true;
        this.#child(one, member, at, name, depth);
      }
    }
    if (propertyNames !== undefined) {
      const trial = this.#try(
        propertyNames,
        name,
        { trail: { up: at.trail, step: name }, faults: [], seen: undefined },
        depth,
      );
      for (const fault of trial.faults) {
        at.faults.push({ ...fault, message: `is not a usable name: it ${fault.message}`, key: true });
      }
    }
    if (known) at.seen?.add(name);
    else if (additionalProperties !== undefined) {
      at.seen?.add(name);
      this.#rest('additionalProperties', { schema, value, at, depth }, name);
    }
  }

  #rest(keyword: string, { schema, value, at, depth }: Holder, name: string): void {
    const rest = schema[keyword] ?? true;
    const known = isObject(schema['properties']) ? schema['properties'] : {};
    if (rest === false) {
      const remedy = didYouMean(name, Object.keys(known));
      const extra = remedy === undefined ? {} : { remedy };
      this.#fault({ ...at, trail: { up: at.trail, step: name } }, keyword, 'is an unknown key', {
        key: true,
        ...extra,
      });
    } else {
      this.#child(rest, value[name] ?? null, at, name, depth);
    }
  }

  #dependents(schema: Keywords, value: Members, at: Frame, depth: number): void {
    const { dependentRequired, dependentSchemas } = schema;
    if (isObject(dependentRequired)) {
      for (const [name, needed] of Object.entries(dependentRequired)) {
        if (!Object.hasOwn(value, name) || !isList(needed)) continue;
        for (const other of needed) {
          if (typeof other === 'string' && !Object.hasOwn(value, other)) {
            this.#fault(at, 'dependentRequired', `needs the key \`${other}\` beside \`${name}\``);
          }
        }
      }
    }
    if (!isObject(dependentSchemas)) return;
    for (const [name, one] of Object.entries(dependentSchemas)) {
      if (Object.hasOwn(value, name)) this.apply(one, value, at, depth + 1);
    }
  }
}

/** Everything that is wrong with `value`; nothing when it is valid. */
export function checkValue(schema: JsonSchema, value: JsonValue, options: CheckOptions): readonly ValueFault[] {
  const faults: ValueFault[] = [];
  new Checker(options).apply(schema, value, { trail: undefined, faults, seen: undefined }, 0);
  return faults;
}
