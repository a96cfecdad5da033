import { isObject } from '../grammar/value-kinds.ts';
import { compilePattern } from '../grammar/check-value.ts';
import type { JsonPath } from '../model/types.ts';
import { judgePattern, isWhole } from './patterns/judge.ts';
import type { Finding, Rule } from './rule.ts';
import { finding, label, visits } from './walk.ts';
import type { Visit } from './walk.ts';

function patternsOf({ schema }: Visit): { readonly pattern: string; readonly below: JsonPath }[] {
  const found: { pattern: string; below: JsonPath }[] = [];
  if (typeof schema['pattern'] === 'string') found.push({ pattern: schema['pattern'], below: ['pattern'] });
  const members = schema['patternProperties'];
  if (isObject(members))
    for (const pattern of Object.keys(members)) found.push({ pattern, below: ['patternProperties', pattern] });
  return found;
}

function* faultOf(visit: Visit, pattern: string, below: JsonPath): Generator<Finding> {
  const verdict = judgePattern(pattern);
  const name = label(visit);
  switch (verdict.kind) {
    case 'malformed':
      yield finding(
        visit,
        `${name} has a pattern that is no regular expression under the \`u\` flag.`,
        'Escape what is meant literally.',
        below,
      );
      return;
    case 'slow': {
      const attack = verdict.attack === undefined ? '' : ` on ${verdict.attack.slice(0, 120)}`;
      yield finding(
        visit,
        `${name} has a pattern whose time explodes${attack}.`,
        'Make each character fit in one way only.',
        below,
      );
      return;
    }
    case 'unknown':
      yield finding(
        visit,
        `${name} has a pattern that could not be shown to run in linear time.`,
        'Write it more simply.',
        below,
      );
      return;
    case 'safe':
  }
  // A key pattern picks members by prefix on purpose; a value pattern that is open at an end lets anything through.
  if (below[0] === 'pattern' && !isWhole(pattern)) {
    yield finding(
      visit,
      `${name} has a pattern that a part of the text can satisfy.`,
      'Begin it with `^` and end it with `$`.',
      below,
    );
  }
}

const safe: Rule = {
  id: 'in-pattern-safe',
  level: 'error',
  sentence: 'Patterns compile, speak of the whole text and run in linear time.',
  *check(model) {
    for (const visit of visits(model))
      for (const { pattern, below } of patternsOf(visit)) yield* faultOf(visit, pattern, below);
  },
};

const example: Rule = {
  id: 'in-pattern-example',
  level: 'warning',
  sentence: 'A pattern shows one value that matches.',
  *check(model) {
    for (const visit of visits(model)) {
      const { pattern, examples } = visit.schema;
      if (typeof pattern !== 'string' || judgePattern(pattern).kind !== 'safe') continue;
      const shown = Array.isArray(examples) ? examples : [];
      const matches = shown.some((one) => typeof one === 'string' && compilePattern(pattern)?.test(one) === true);
      if (!matches)
        yield finding(visit, `${label(visit)} has a pattern and no example of it.`, 'Add one under `examples`.', [
          'pattern',
        ]);
    }
  },
};

export const patternRules: readonly Rule[] = [safe, example];
