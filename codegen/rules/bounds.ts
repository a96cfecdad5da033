import { isObject } from '../grammar/value-kinds.ts';
import type { Finding, Rule } from './rule.ts';
import { finding, label, typesOf, visits } from './walk.ts';
import type { Keywords, Visit } from './walk.ts';

/** Formats whose text has a fixed greatest length of its own. */
const BOUNDED_FORMATS: ReadonlySet<unknown> = new Set(['uuid', 'date', 'ipv4', 'ipv6']);
const NARROWERS: ReadonlySet<string> = new Set([
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'dependentSchemas',
]);

function isListed(schema: Keywords): boolean {
  return 'enum' in schema || 'const' in schema;
}

/** Schemas that only narrow a value described elsewhere owe no bounds of their own. */
function describesValue(visit: Visit): boolean {
  for (let one: Visit | undefined = visit; one !== undefined; one = one.parent) {
    if (one.keyword !== undefined && NARROWERS.has(one.keyword)) return false;
  }
  return true;
}

function* each(
  model: Parameters<Rule['check']>[0],
  broken: (visit: Visit) => [string, string] | undefined,
): Generator<Finding> {
  for (const visit of visits(model)) {
    if (!describesValue(visit)) continue;
    const fault = broken(visit);
    if (fault !== undefined) yield finding(visit, `${label(visit)} ${fault[0]}.`, fault[1]);
  }
}

const boundedString: Rule = {
  id: 'in-bounded-string',
  level: 'error',
  sentence: 'Every string has a greatest length.',
  check: (model) =>
    each(model, ({ schema }) => {
      if (!typesOf(schema).includes('string') || isListed(schema)) return undefined;
      if (schema['maxLength'] !== undefined || BOUNDED_FORMATS.has(schema['format'])) return undefined;
      return ['is a string without a greatest length', 'Add `maxLength`.'];
    }),
};

const boundedArray: Rule = {
  id: 'in-bounded-array',
  level: 'error',
  sentence: 'Every list has a greatest number of items.',
  check: (model) =>
    each(model, ({ schema }) => {
      if (!typesOf(schema).includes('array') || isListed(schema) || schema['maxItems'] !== undefined) return undefined;
      if (schema['prefixItems'] !== undefined && schema['items'] === false) return undefined;
      return ['is a list without a greatest number of items', 'Add `maxItems`.'];
    }),
};

function hasBoth(schema: Keywords): boolean {
  const low = schema['minimum'] ?? schema['exclusiveMinimum'];
  const high = schema['maximum'] ?? schema['exclusiveMaximum'];
  return low !== undefined && high !== undefined;
}

const boundedNumber: Rule = {
  id: 'in-bounded-number',
  level: 'error',
  sentence: 'Every number has a least and a greatest value.',
  check: (model) =>
    each(model, ({ schema }) => {
      const types = typesOf(schema);
      if ((!types.includes('integer') && !types.includes('number')) || isListed(schema) || hasBoth(schema))
        return undefined;
      return ['is a number without both bounds', 'Add `minimum` and `maximum`.'];
    }),
};

const boundedMap: Rule = {
  id: 'in-bounded-map',
  level: 'error',
  sentence: 'Every map and every free-form object has a greatest number of members.',
  check: (model) =>
    each(model, ({ schema }) => {
      const free =
        isObject(schema['additionalProperties']) ||
        schema['patternProperties'] !== undefined ||
        schema['open'] !== undefined;
      if (!free || schema['maxProperties'] !== undefined) return undefined;
      return ['takes any number of members', 'Add `maxProperties`.'];
    }),
};

const closed: Rule = {
  id: 'in-closed',
  level: 'error',
  sentence: 'Objects are closed unless `open` gives a reason.',
  check: (model) =>
    each(model, ({ schema }) => {
      const anything = (keyword: string): boolean => {
        const value = schema[keyword];
        return value === true || (isObject(value) && Object.keys(value).length === 0);
      };
      if (schema['open'] !== undefined || (!anything('additionalProperties') && !anything('unevaluatedProperties')))
        return undefined;
      return ['takes members nobody has declared', 'Remove it, or say why with `open: <reason>`.'];
    }),
};

const emptyObject: Rule = {
  id: 'in-free-object',
  level: 'error',
  sentence: 'An object says what it holds.',
  check: (model) =>
    each(model, ({ schema, keyword, root }) => {
      if (keyword === undefined && (root.role === 'input' || root.role === 'internal')) return undefined;
      const says = ['properties', 'patternProperties', 'open', '$ref', 'allOf', 'anyOf', 'oneOf', 'enum', 'const'].some(
        (one) => one in schema,
      );
      const map = isObject(schema['additionalProperties']) || isObject(schema['unevaluatedProperties']);
      if (!typesOf(schema).includes('object') || says || map) return undefined;
      return [
        'is an object that declares no members',
        'Declare `properties`, or make it free-form with `open: <reason>` and `maxProperties`.',
      ];
    }),
};

const typed: Rule = {
  id: 'schema-typed',
  level: 'error',
  sentence: 'Every value has a type.',
  check: (model) =>
    each(model, ({ schema, keyword, parent }) => {
      const says = ['type', '$ref', 'allOf', 'anyOf', 'oneOf', 'enum', 'const', 'if', 'not'].some(
        (one) => one in schema,
      );
      // A branch beside `type` adds to a value whose type is known.
      const branch = (keyword === 'anyOf' || keyword === 'oneOf') && parent !== undefined && 'type' in parent.schema;
      return says || branch ? undefined : ['has no type and takes anything', 'Add `type`.'];
    }),
};

const uniqueItems: Rule = {
  id: 'in-unique-items',
  level: 'error',
  sentence: 'Comparing objects pairwise is quadratic: `uniqueItems` over objects needs a small `maxItems`.',
  check: (model) =>
    each(model, ({ schema }) => {
      if (schema['uniqueItems'] !== true) return undefined;
      const { maxItems, items } = schema;
      const scalar =
        isObject(items) && (isListed(items) || typesOf(items).some((type) => type !== 'object' && type !== 'array'));
      if (scalar || (typeof maxItems === 'number' && maxItems <= 1000)) return undefined;
      return ['compares every item with every other', 'Add a `maxItems` of at most 1000.'];
    }),
};

export const boundRules: readonly Rule[] = [
  boundedString,
  boundedArray,
  boundedNumber,
  boundedMap,
  closed,
  emptyObject,
  typed,
  uniqueItems,
];
