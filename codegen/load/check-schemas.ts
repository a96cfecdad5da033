/**
 * Faults that a JSON Schema can have although each keyword is well formed: required names nobody declared, keywords
 * that can never apply, references that leave the tree. Runs on what the author wrote, before anything is resolved,
 * so that one run reports these beside grammar faults.
 */
import { isList, isObject } from '../grammar/check-value.ts';
import { SCHEMA_KEYWORDS } from '../grammar/schema-body.ts';
import type { Diagnostic, JsonPath, JsonValue } from '../model/types.ts';
import { didYouMean } from './did-you-mean.ts';
import { bodiesOf } from './document.ts';
import type { ContractDocument } from './document.ts';
import { pointer } from './positions.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const REFERENCE = /^(?:model:[a-z][a-z0-9_]*|#\/\$defs\/[A-Za-z][A-Za-z0-9_-]*)$/u;

const APPLIES_TO: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: [
    'items',
    'prefixItems',
    'unevaluatedItems',
    'contains',
    'minContains',
    'maxContains',
    'minItems',
    'maxItems',
    'uniqueItems',
  ],
  object: [
    'properties',
    'patternProperties',
    'additionalProperties',
    'unevaluatedProperties',
    'propertyNames',
    'required',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
  ],
};

const TYPES: readonly JsonValue[] = [...Object.keys(APPLIES_TO), 'integer', 'boolean', 'null'];

type Keywords = { readonly [keyword: string]: JsonValue };

/** Names that composed parts of the same object declare: `required` may name those as well. */
function declaredNames(schema: Keywords, depth = 0): { readonly names: Set<string>; readonly exact: boolean } {
  const names = new Set(isObject(schema['properties']) ? Object.keys(schema['properties']) : []);
  let exact =
    !('$ref' in schema) &&
    !('patternProperties' in schema) &&
    !isObject(schema['additionalProperties']) &&
    !('open' in schema) &&
    schema['additionalProperties'] !== true &&
    !isObject(schema['unevaluatedProperties']);
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => (isList(schema[keyword]) ? schema[keyword] : []));
  for (const keyword of ['if', 'then', 'else']) if (schema[keyword] !== undefined) parts.push(schema[keyword]);
  if (isObject(schema['dependentSchemas'])) parts.push(...Object.values(schema['dependentSchemas']));
  for (const part of depth < 20 ? parts : []) {
    if (!isObject(part)) continue;
    const inner = declaredNames(part, depth + 1);
    for (const name of inner.names) names.add(name);
    exact &&= inner.exact;
  }
  return { names, exact };
}

class SchemaChecker {
  readonly found: Diagnostic[] = [];
  readonly #document: ContractDocument;

  constructor(document: ContractDocument) {
    this.#document = document;
  }

  fault(rule: string, path: JsonPath, message: string, remedy?: string, at: 'key' | 'value' = 'value'): void {
    this.found.push({
      rule,
      level: 'error',
      message,
      ...(remedy === undefined ? {} : { remedy }),
      position: this.#document.source.locate(path, at),
      entity: `${this.#document.kind} ${this.#document.stem}`,
      pointer: pointer(path),
    });
  }

  /** `inherited` are the names and types that enclosing schemas of the same value already declare. */
  check(
    schema: JsonValue,
    path: JsonPath,
    inherited: ReadonlySet<string> | undefined,
    depth: number,
    isRoot: boolean,
  ): void {
    if (!isObject(schema) || depth > 64) return;
    this.#reference(schema, path);
    this.#dialect(schema, path);
    this.#keywordsApply(schema, path);
    const declared = declaredNames(schema);
    const known = new Set([...declared.names, ...(inherited ?? [])]);
    if (declared.exact && inherited !== undefined) this.#required(schema, path, known);
    this.#numbers(schema, path);
    if ('$defs' in schema && !isRoot) {
      this.fault(
        'grammar',
        [...path, '$defs'],
        'Definitions stand at the root of a body only.',
        'Move them there.',
        'key',
      );
    }
    this.#children(schema, path, declared.exact && inherited !== undefined ? known : undefined, depth);
  }

  #children(schema: Keywords, path: JsonPath, known: ReadonlySet<string> | undefined, depth: number): void {
    const sameValue = new Set<string>(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);
    const names = (keyword: string): ReadonlySet<string> | undefined => (sameValue.has(keyword) ? known : new Set());
    for (const keyword of SCHEMA_KEYWORDS.one) {
      const one = schema[keyword];
      if (one !== undefined) this.check(one, [...path, keyword], names(keyword), depth + 1, false);
    }
    for (const keyword of SCHEMA_KEYWORDS.list) {
      const many = schema[keyword];
      if (!isList(many)) continue;
      for (const [index, one] of many.entries())
        this.check(one, [...path, keyword, index], names(keyword), depth + 1, false);
    }
    for (const keyword of SCHEMA_KEYWORDS.map) {
      const many = schema[keyword];
      if (!isObject(many)) continue;
      for (const [name, one] of Object.entries(many))
        this.check(one, [...path, keyword, name], names(keyword), depth + 1, false);
    }
  }

  #reference(schema: Keywords, path: JsonPath): void {
    const ref = schema['$ref'];
    if (typeof ref !== 'string' || REFERENCE.test(ref)) return;
    this.fault(
      'in-ref-remote',
      [...path, '$ref'],
      `\`${ref}\` leaves the contract tree and is not followed.`,
      'Use `model:<name>` or `#/$defs/<Name>`.',
    );
  }

  #dialect(schema: Keywords, path: JsonPath): void {
    const dialect = schema['$schema'];
    if (dialect === undefined || dialect === DIALECT) return;
    this.fault(
      'schema-dialect',
      [...path, '$schema'],
      `The dialect \`${JSON.stringify(dialect)}\` is not supported.`,
      `Remove it; bodies are ${DIALECT}.`,
    );
  }

  #required(schema: Keywords, path: JsonPath, known: ReadonlySet<string>): void {
    if (!isList(schema['required'])) return;
    for (const [index, name] of schema['required'].entries()) {
      if (typeof name !== 'string' || known.has(name)) continue;
      const remedy = didYouMean(name, known) ?? 'Declare it under `properties`.';
      this.fault(
        'schema-required',
        [...path, 'required', index],
        `\`${name}\` is required and not declared under \`properties\`.`,
        remedy,
      );
    }
  }

  #keywordsApply(schema: Keywords, path: JsonPath): void {
    const { type } = schema;
    const types = typeof type === 'string' ? [type] : isList(type) ? type : [];
    if (types.length === 0 || !types.every((one) => TYPES.includes(one))) return;
    for (const [needed, keywords] of Object.entries(APPLIES_TO)) {
      if (types.includes(needed) || (needed === 'number' && types.includes('integer'))) continue;
      for (const keyword of keywords) {
        if (schema[keyword] === undefined) continue;
        const written = types.filter((one) => typeof one === 'string').join(' or ');
        this.fault(
          'schema-keyword',
          [...path, keyword],
          `\`${keyword}\` says nothing about a value of type ${written}.`,
          'Remove it, or correct `type`.',
          'key',
        );
      }
    }
  }

  #numbers(schema: Keywords, path: JsonPath): void {
    for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'const', 'default']) {
      const value = schema[keyword];
      if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER && Number.isInteger(value)) {
        this.fault(
          'schema-number',
          [...path, keyword],
          `\`${keyword}\` lies beyond 2^53, where JSON numbers lose digits.`,
          'Carry such numbers as strings.',
        );
      }
    }
  }
}

/** Checks every schema body of a document. */
export function checkSchemas(document: ContractDocument): Diagnostic[] {
  const checker = new SchemaChecker(document);
  for (const { path, schema } of bodiesOf(document)) checker.check(schema, path, new Set(), 0, true);
  return checker.found;
}
