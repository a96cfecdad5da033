/**
 * Faults that a JSON Schema can have although each keyword is well formed: required names nobody declared, keywords
 * that can never apply, references that leave the tree. Runs on what the author wrote, before anything is resolved,
 * so that one run reports these beside grammar faults.
 */
import { isList, isObject } from '../grammar/value-kinds.ts';
import { SUBSCHEMAS } from '../grammar/schema-body.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { JsonPath, JsonValue } from '../model/types.ts';
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

/** Keywords whose schemas speak of the same value as the schema around them. */
const SAME_VALUE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
]);
/** The type that a keyword speaks about. */
const SPEAKS_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(APPLIES_TO).flatMap(([type, keywords]) => keywords.map((keyword) => [keyword, type] as const)),
);
const NONE: ReadonlySet<string> = new Set();

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

  /** `inherited` are the names that enclosing schemas of the same value declare, when those are all there are. */
  check(schema: JsonValue, path: JsonPath, inherited: ReadonlySet<string> | undefined, depth: number): void {
    if (!isObject(schema) || depth > 64) return;
    this.#reference(schema, path);
    this.#dialect(schema, path);
    this.#keywordsApply(schema, path);
    this.#numbers(schema, path);
    if ('$defs' in schema && depth > 0) {
      const message = 'Definitions stand at the root of a body only.';
      this.fault('grammar', [...path, '$defs'], message, 'Move them there.', 'key');
    }
    let known: ReadonlySet<string> | undefined = NONE;
    if ('required' in schema || Object.keys(schema).some((keyword) => SAME_VALUE.has(keyword))) {
      const declared = declaredNames(schema);
      known = declared.exact && inherited !== undefined ? new Set([...declared.names, ...inherited]) : undefined;
      if (known !== undefined) this.#required(schema, path, known);
    }
    this.#children(schema, path, known, depth);
  }

  #children(schema: Keywords, path: JsonPath, known: ReadonlySet<string> | undefined, depth: number): void {
    for (const keyword of Object.keys(schema)) {
      const holds = SUBSCHEMAS.get(keyword);
      if (holds === undefined) continue;
      const value = schema[keyword];
      const inherited = SAME_VALUE.has(keyword) ? known : NONE;
      if (holds === 'one') {
        this.check(value ?? null, [...path, keyword], inherited, depth + 1);
      } else if (isList(value)) {
        for (const [index, one] of value.entries()) this.check(one, [...path, keyword, index], inherited, depth + 1);
      } else if (isObject(value)) {
        for (const name of Object.keys(value))
          this.check(value[name] ?? null, [...path, keyword, name], inherited, depth + 1);
      }
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
    for (const keyword of Object.keys(schema)) {
      const needed = SPEAKS_OF.get(keyword);
      if (needed === undefined || types.includes(needed) || (needed === 'number' && types.includes('integer')))
        continue;
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
  for (const { path, schema } of bodiesOf(document)) checker.check(schema, path, NONE, 0);
  return checker.found;
}
