/** Contradictions that leave a schema without any valid value. Reasoning is by bounds: no prover, no false alarm. */
import { checkValue } from '../grammar/check-value.ts';
import { isList, isObject } from '../grammar/value-kinds.ts';
import type { ContractModel } from '../model/types.ts';
import type { Finding, Rule } from './rule.ts';
import { deref, finding, label, properties, required, resolveIn, typesOf, visits } from './walk.ts';
import type { Keywords, Visit } from './walk.ts';

const PAIRS = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minimum', 'maximum'],
  ['minContains', 'maxContains'],
] as const;

function numberAt(schema: Keywords, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === 'number' ? value : undefined;
}

function* crossedBounds(visit: Visit): Generator<Finding> {
  const { schema } = visit;
  for (const [low, high] of PAIRS) {
    const least = numberAt(schema, low);
    const most = numberAt(schema, high);
    if (least !== undefined && most !== undefined && least > most) {
      yield finding(
        visit,
        `${label(visit)} has \`${low}\` ${least} above \`${high}\` ${most}.`,
        'Swap or correct them.',
        [low],
      );
    }
  }
  const above = numberAt(schema, 'exclusiveMinimum') ?? -Infinity;
  const below = numberAt(schema, 'exclusiveMaximum') ?? Infinity;
  const least = numberAt(schema, 'minimum') ?? -Infinity;
  const most = numberAt(schema, 'maximum') ?? Infinity;
  if (above >= below || above >= most || least >= below) {
    yield finding(visit, `${label(visit)} has bounds that no number meets.`, 'Correct the bounds.');
  } else if (
    typesOf(schema).join() === 'integer' &&
    Math.max(Math.ceil(least), Math.floor(above) + 1) > Math.min(Math.floor(most), Math.ceil(below) - 1)
  ) {
    yield finding(visit, `${label(visit)} has bounds that no integer meets.`, 'Correct the bounds.');
  }
}

/** Members of a closed object that its own `required` or count makes impossible. */
function* impossibleMembers(visit: Visit): Generator<Finding> {
  const { schema } = visit;
  const declared = properties(schema);
  const count = Object.keys(declared).length;
  const most = numberAt(schema, 'maxProperties');
  const needed = required(schema);
  if (most !== undefined && needed.length > most) {
    yield finding(
      visit,
      `${label(visit)} requires ${needed.length} members and allows ${most}.`,
      'Correct `maxProperties`.',
      ['maxProperties'],
    );
  }
  const least = numberAt(schema, 'minProperties');
  const sealed = schema['additionalProperties'] === false && schema['patternProperties'] === undefined;
  if (least !== undefined && sealed && least > count) {
    yield finding(visit, `${label(visit)} needs ${least} members and declares ${count}.`, 'Correct `minProperties`.', [
      'minProperties',
    ]);
  }
  for (const name of needed) {
    if (declared[name] === false) {
      yield finding(visit, `\`${name}\` is required and its schema is false.`, 'Drop it from `required`.', [
        'properties',
        name,
      ]);
    }
  }
  if (schema['not'] === true || (isObject(schema['not']) && Object.keys(schema['not']).length === 0)) {
    yield finding(visit, `${label(visit)} excludes every value.`, 'Remove `not`.', ['not']);
  }
}

function* impossibleList(visit: Visit): Generator<Finding> {
  const { prefixItems, items } = visit.schema;
  const least = numberAt(visit.schema, 'minItems') ?? 0;
  const places = isList(prefixItems) ? prefixItems.length : 0;
  if (items === false && least > places) {
    yield finding(visit, `${label(visit)} needs ${least} items and has places for ${places}.`, 'Correct `minItems`.', [
      'minItems',
    ]);
  }
}

/** Listed values that the neighbouring keywords refuse. */
function* refusedValues(model: ContractModel, visit: Visit): Generator<Finding> {
  const { enum: listed, const: only, ...rest } = visit.schema;
  const bare = Object.fromEntries(
    Object.entries(rest).filter(([keyword]) => keyword !== 'default' && keyword !== 'examples'),
  );
  const options = { resolve: resolveIn(model), mayRun: () => false };
  if (isList(listed)) {
    for (const [index, value] of listed.entries()) {
      if (checkValue(bare, value, options).length === 0) continue;
      yield finding(
        visit,
        `${label(visit)} lists ${JSON.stringify(value)}, which its other keywords refuse.`,
        'Correct one of them.',
        ['enum', index],
      );
    }
  }
  if (only !== undefined && checkValue(isList(listed) ? { ...bare, enum: listed } : bare, only, options).length > 0) {
    yield finding(visit, `${label(visit)} is fixed to a value its other keywords refuse.`, 'Correct one of them.', [
      'const',
    ]);
  }
}

/** `allOf` over a closed shape: what one part declares, the other refuses. */
function* closedComposition(model: ContractModel, visit: Visit): Generator<Finding> {
  const { allOf } = visit.schema;
  const parts = isList(allOf) ? allOf.map((part) => deref(model, part)) : [];
  const own = Object.keys(properties(visit.schema));
  const needed = new Set([...required(visit.schema), ...parts.flatMap((part) => required(part))]);
  for (const [index, part] of parts.entries()) {
    if (part['additionalProperties'] !== false) continue;
    const refused = [...needed].filter((name) => !Object.hasOwn(properties(part), name));
    const elsewhere = refused.filter(
      (name) => own.includes(name) || parts.some((other) => Object.hasOwn(properties(other), name)),
    );
    if (elsewhere.length === 0) continue;
    const names = elsewhere.map((name) => `\`${name}\``).join(', ');
    yield finding(
      visit,
      `Part ${index + 1} of \`allOf\` is closed and refuses ${names}, which is required beside it.`,
      'Write the members out in one object.',
      ['allOf', index],
    );
  }
}

function* conflictingTypes(model: ContractModel, visit: Visit): Generator<Finding> {
  const { allOf } = visit.schema;
  if (!isList(allOf)) return;
  let common = new Set(typesOf(visit.schema));
  for (const [index, part] of allOf.entries()) {
    const types = typesOf(deref(model, part));
    if (types.length === 0) continue;
    const widened = new Set(types.includes('number') ? [...types, 'integer'] : types);
    const left =
      common.size === 0
        ? new Set(types)
        : new Set([...common].filter((type) => widened.has(type) || (type === 'number' && types.includes('integer'))));
    if (left.size === 0) {
      yield finding(visit, `The parts of \`allOf\` have no type in common.`, 'Correct one of them.', ['allOf', index]);
      return;
    }
    common = left;
  }
}

const BOUNDS = [
  'minLength',
  'minItems',
  'minProperties',
  'minimum',
  'minContains',
  'exclusiveMinimum',
  'exclusiveMaximum',
];
const COUNTS = ['required', 'minProperties', 'maxProperties', 'not'];

/** Most schemas have none of the keywords that could contradict each other. */
function has(schema: Keywords, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined);
}

const unsatisfiable: Rule = {
  id: 'in-unsatisfiable',
  level: 'error',
  sentence: 'Every schema has at least one valid value.',
  *check(model) {
    for (const visit of visits(model)) {
      const { schema } = visit;
      if (has(schema, BOUNDS)) yield* crossedBounds(visit);
      if (has(schema, COUNTS)) yield* impossibleMembers(visit);
      if (schema['items'] === false) yield* impossibleList(visit);
      if ('enum' in visit.schema || 'const' in visit.schema) yield* refusedValues(model, visit);
      if ('allOf' in visit.schema) {
        yield* closedComposition(model, visit);
        yield* conflictingTypes(model, visit);
      }
    }
  },
};

/** Types that only a chain of required members of themselves leads to can never be finished. */
const endless: Rule = {
  id: 'in-endless',
  level: 'error',
  sentence: 'A shape does not require itself inside itself.',
  *check(model) {
    const resolve = resolveIn(model);
    const needs = (schema: Keywords): string[] => {
      const refs = typeof schema['$ref'] === 'string' ? [schema['$ref']] : [];
      const members = properties(schema);
      for (const name of required(schema)) {
        const member = members[name];
        if (isObject(member)) refs.push(...needs(member));
      }
      if (isList(schema['allOf'])) for (const part of schema['allOf']) if (isObject(part)) refs.push(...needs(part));
      return refs;
    };
    for (const visit of visits(model)) {
      if (visit.depth > 0 || visit.root.role !== 'shared') continue;
      const seen = new Set<string>();
      const queue = needs(visit.schema);
      for (let ref = queue.pop(); ref !== undefined; ref = queue.pop()) {
        if (seen.has(ref)) continue;
        seen.add(ref);
        const target = resolve(ref);
        if (target === visit.schema) {
          yield finding(
            visit,
            'This shape requires itself inside itself, so no value can ever be complete.',
            'Make one member optional.',
          );
          break;
        }
        if (isObject(target)) queue.push(...needs(target));
      }
    }
  },
};

export const satisfiableRules: readonly Rule[] = [unsatisfiable, endless];
