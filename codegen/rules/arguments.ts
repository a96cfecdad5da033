/** Arguments that mislead whoever fills them in. */
import { isList, isObject } from '../grammar/value-kinds.ts';
import type { JsonValue } from '../model/types.ts';
import type { Finding, Rule } from './rule.ts';
import { deref, finding, label, pathOf, properties, required, typesOf, visits } from './walk.ts';
import type { Visit } from './walk.ts';

const emptyString: Rule = {
  id: 'in-empty-string',
  level: 'warning',
  fixes: 'guess',
  sentence: 'An optional text argument cannot be blank: leaving it out says the same.',
  *check(model) {
    for (const visit of visits(model)) {
      if (visit.root.role !== 'input' || visit.keyword !== 'properties' || visit.parent === undefined) continue;
      const { schema } = visit;
      if (!typesOf(schema).includes('string') || required(visit.parent.schema).includes(String(visit.member))) continue;
      const shaped = ['minLength', 'enum', 'const', 'format', 'pattern'].some(
        (keyword) => schema[keyword] !== undefined,
      );
      if (shaped) continue;
      const one = finding(visit, `${label(visit)} may be left out and may be blank.`, 'Add `minLength: 1`.');
      yield {
        ...one,
        fix: {
          title: 'Add `minLength: 1`',
          exact: false,
          edits: [{ do: 'add', path: [...one.path, 'minLength'], value: 1 }],
        },
      };
    }
  },
};

const OPPOSITES: readonly (readonly [string, string])[] = [
  ['include', 'exclude'],
  ['enable', 'disable'],
  ['show', 'hide'],
  ['allow', 'deny'],
  ['with', 'without'],
  ['add', 'remove'],
];

/** The stem and the side of a flag that has an opposite: `exclude_tests` is the other side of `include_tests`. */
function sideOf(name: string): { readonly mode: string; readonly word: string } | undefined {
  const [first = '', ...rest] = name.split('_');
  if (first === 'only' || rest.at(-1) === 'only') return { mode: 'only', word: name };
  const pair = OPPOSITES.find((words) => words.includes(first));
  return pair === undefined ? undefined : { mode: `${pair.join(' ')} ${rest.join('_')}`, word: first };
}

const booleanTrap: Rule = {
  id: 'in-boolean-trap',
  level: 'warning',
  sentence: 'Flags that exclude each other are one enum.',
  *check(model) {
    for (const tool of model.tools) {
      const seen = new Map<string, { readonly name: string; readonly word: string }>();
      for (const [name, member] of Object.entries(properties(tool.input))) {
        const side = deref(model, member)['type'] === 'boolean' ? sideOf(name) : undefined;
        if (side === undefined) continue;
        const other = seen.get(side.mode);
        seen.set(side.mode, { name, word: side.word });
        if (other === undefined || other.word === side.word) continue;
        yield {
          source: tool.source,
          path: ['input', 'properties', name],
          at: 'key',
          entity: `tool ${tool.name}`,
          message: `\`${other.name}\` and \`${name}\` can contradict each other.`,
          remedy: 'Use one enum.',
        };
      }
    }
  },
};

const DEPENDS =
  /\b(?:only (?:used |read |valid |applies )?(?:with|when|if|together with)|ignored (?:without|unless)|has no effect (?:without|unless)|requires|needs) `?([a-z][a-z0-9_]*)`?(?! or )/giu;

/** Most descriptions have none of the words above; this tells so at a fraction of the price. */
const HINTS = /only|Only|gnored|effect|equires|eeds/u;

const dependent: Rule = {
  id: 'in-dependent-args',
  level: 'warning',
  sentence: 'What an argument needs beside it stands in `dependentRequired`, not in prose alone.',
  *check(model) {
    for (const visit of visits(model)) {
      const { description } = visit.schema;
      if (visit.root.role !== 'input' || visit.keyword !== 'properties' || typeof description !== 'string') continue;
      if (!HINTS.test(description)) continue;
      const siblings = properties(visit.parent?.schema);
      const name = String(visit.member);
      for (const [, other = ''] of description.matchAll(DEPENDS)) {
        if (other === name || !Object.hasOwn(siblings, other)) continue;
        if (required(visit.parent?.schema).includes(other) || isDeclared(visit, name, other)) continue;
        // A default makes the other one always there.
        if (isObject(siblings[other]) && siblings[other]['default'] !== undefined) continue;
        yield finding(
          visit,
          `\`${name}\` needs \`${other}\`, and only its description says so.`,
          `Add \`dependentRequired: { ${name}: [${other}] }\`.`,
          ['description'],
        );
      }
    }
  },
};

function isDeclared(visit: Visit, name: string, other: string): boolean {
  const rules = visit.parent?.schema['dependentRequired'];
  const needed = isObject(rules) ? rules[name] : undefined;
  return isList(needed) && needed.includes(other);
}

/** Keywords with the value that makes them exclude nothing. */
const IDLE: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  minLength: (value) => value === 0,
  minItems: (value) => value === 0,
  minProperties: (value) => value === 0,
  uniqueItems: (value) => value === false,
  minContains: (value) => value === 0,
  propertyNames: (value) => value === true,
  pattern: (value) => value === '' || value === '.*' || value === '^.*$' || value === '^' || value === '$',
  not: (value) => value === false,
};
const SIZES = [
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
];

function idleKeywords({ schema }: Visit): string[] {
  const idle = Object.keys(schema).filter((keyword) => {
    const value = schema[keyword];
    return value !== undefined && IDLE[keyword]?.(value) === true;
  });
  // Each listed value was held against these already, so they can refuse no other.
  const listed = schema['enum'] !== undefined || schema['const'] !== undefined;
  if (listed) idle.push(...SIZES.filter((keyword) => schema[keyword] !== undefined && !idle.includes(keyword)));
  return idle;
}

const alwaysTrue: Rule = {
  id: 'in-always-true',
  level: 'warning',
  fixes: 'always',
  sentence: 'A keyword of a schema excludes something.',
  *check(model): Generator<Finding> {
    for (const visit of visits(model)) {
      for (const keyword of idleKeywords(visit)) {
        const path = [...pathOf(visit), keyword];
        yield {
          ...finding(visit, `\`${keyword}\` of ${label(visit)} excludes nothing.`, 'Remove it.', [keyword]),
          fix: { title: `Remove \`${keyword}\``, exact: true, edits: [{ do: 'remove', path }] },
        };
      }
    }
  },
};

export const argumentRules: readonly Rule[] = [emptyString, booleanTrap, dependent, alwaysTrue];
