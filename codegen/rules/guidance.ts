/** What texts must tell a reader who is about to call, and what they must not waste words on. */
import { isList } from '../grammar/value-kinds.ts';
import type { ContractModel, ToolSpec } from '../model/types.ts';
import { onTool } from './outputs.ts';
import { inProse } from './prose.ts';
import type { Rule } from './rule.ts';
import { differentTexts, texts } from './texts.ts';
import { deref, finding, label, properties, visits } from './walk.ts';
import type { Visit } from './walk.ts';
import { FUNCTION_WORDS, MARKETING } from './words.ts';

const NAMED = /`[a-z0-9]+(?:_[a-z0-9]+)+`/u;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whether the catalogue says where a value for the argument comes from. */
function isExplained(model: ContractModel, tool: ToolSpec, argument: string, error: string): boolean {
  const own = textOf(deref(model, properties(tool.input)[argument])['description']);
  const recovery = model.errors.find(({ code }) => code === error)?.recovery ?? '';
  return (
    [tool.description, own, recovery].some((text) => NAMED.test(text)) ||
    model.server.instructions.includes(`\`${argument}\``)
  );
}

const prerequisites: Rule = {
  id: 'desc-prerequisites',
  level: 'warning',
  sentence: 'For an argument that names an entity some text names the tool that finds it.',
  *check(model) {
    for (const tool of model.tools) {
      for (const { argument, error } of tool.references) {
        if (isExplained(model, tool, argument, error)) continue;
        yield onTool(
          tool,
          ['description'],
          `Nothing says how to find a value for \`${argument}\`.`,
          `Name the tool that lists it, here or in the recovery of \`${error}\`.`,
          'value',
        );
      }
    }
  },
};

const SPENDING =
  /\b(?:cost|costs|paid|pays?|spends?|spending|money|price|bill(?:ed|s)?|budget|charge[ds]?|credits?)\b/iu;
const ASKING = /\b(?:ask|approv\w{1,3}|confirm\w{0,2}|consent|agree\w{0,2}|permission)\b/iu;

export function isCostly({ behaviour: { costClass } }: ToolSpec): boolean {
  return costClass === 'llm' || costClass === 'gpu';
}

const cost: Rule = {
  id: 'desc-cost',
  level: 'warning',
  sentence: 'A tool that spends money says so and asks for approval.',
  *check({ tools }) {
    for (const tool of tools) {
      if (!isCostly(tool)) continue;
      const lacks = [
        ...(SPENDING.test(tool.description) ? [] : ['that it spends money']),
        ...(ASKING.test(tool.description) ? [] : ['that a person approves first']),
      ];
      if (lacks.length > 0)
        yield onTool(tool, ['description'], `The description does not say ${lacks.join(' and ')}.`, 'Say it.', 'value');
    }
  },
};

function* described(
  model: ContractModel,
  roles: readonly Visit['root']['role'][],
): Generator<readonly [Visit, string]> {
  for (const visit of visits(model)) {
    const { description } = visit.schema;
    if (typeof description === 'string' && roles.includes(visit.root.role)) yield [visit, description];
  }
}

const TOLD_DEFAULT =
  /(?<before>^|[.;]\s*|\s*\()(?:the )?defaults?(?: is| to|:)? *[`"']?(?<value>[\w.+-]+)[`"']?\)?(?<end>[.;]|$)/iu;

const defaults: Rule = {
  id: 'desc-default',
  level: 'warning',
  fixes: 'some',
  sentence: 'A default is told once: what is published says it beside the description.',
  *check(model) {
    for (const [visit, text] of described(model, ['input'])) {
      const { default: value } = visit.schema;
      const told = value === undefined || typeof value === 'object' ? null : TOLD_DEFAULT.exec(text.trimEnd());
      if (told?.groups === undefined) continue;
      const written = (told.groups['value'] ?? '').replace(/\.$/u, '');
      const same = written === (typeof value === 'string' ? value : JSON.stringify(value));
      const message = same
        ? `The description of ${label(visit)} repeats its default.`
        : `The description of ${label(visit)} tells the default ${written}, which is ${JSON.stringify(value)}.`;
      const one = finding(visit, message, same ? 'Leave it to the schema.' : 'Correct one of them.', ['description']);
      const alone = told.index === 0 || told[0].startsWith('.');
      const rest = told.index > 0;
      yield same && alone && rest
        ? {
            ...one,
            fix: {
              title: 'Leave the default to the schema',
              exact: true,
              edits: [{ do: 'replace', path: one.path, from: told[0], to: '.' }],
            },
          }
        : one;
    }
  },
};

const GLUE = /\b(?:one of|either|can be|may be|is|are|or|and|value|values|allowed|possible|the|a|an|of|options?)\b/giu;

const enums: Rule = {
  id: 'desc-enum',
  level: 'warning',
  sentence: 'A description explains the words of an enum and does not list them again.',
  *check(model) {
    for (const [visit, text] of described(model, ['input', 'output', 'shared', 'payload'])) {
      const listed = visit.schema['enum'];
      if (!isList(listed) || listed.length < 2) continue;
      const words = listed.filter((one) => typeof one === 'string');
      if (words.length < listed.length || !words.every((word) => text.includes(word))) continue;
      let rest = text;
      for (const word of [...words].sort((left, right) => right.length - left.length))
        rest = rest.replaceAll(word, ' ');
      if (rest.replace(GLUE, ' ').replace(/[^\p{L}]+/gu, '').length > 2 * words.length) continue;
      yield finding(visit, `The description of ${label(visit)} lists its words again.`, 'Say what they mean.', [
        'description',
      ]);
    }
  },
};

const marketing: Rule = {
  id: 'desc-no-marketing',
  level: 'info',
  sentence: 'Texts do not praise what they describe.',
  *check(model) {
    for (const [text, places] of differentTexts(model)) {
      const found = MARKETING.exec(text)?.[0];
      for (const prose of found === undefined ? [] : places)
        yield inProse(prose, `\`${found ?? ''}\` praises and tells nothing.`, 'Say what it does.');
    }
  },
};

const COUNTED_PARTS =
  /(?<!\b(?:most|least|to|than|first|last|under|over) )\b(\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:(?:different|supported|known|available) )?(?:tools|resources|prompts|kinds|types|formats|statuses|states|fields|arguments|parameters|options|methods|endpoints|scopes|error codes)\b/iu;

const staleNumber: Rule = {
  id: 'desc-stale-number',
  level: 'warning',
  sentence: 'Texts do not count what a later version adds to.',
  *check(model) {
    for (const [text, places] of differentTexts(model)) {
      const found = COUNTED_PARTS.exec(text)?.[0];
      for (const prose of found === undefined ? [] : places.filter(({ kind }) => kind !== 'prompt'))
        yield inProse(prose, `\`${found ?? ''}\` will be wrong with the next one.`, 'Say it without the number.');
    }
  },
};

const LONG_ENOUGH = 60;

/** The languages that a small word belongs to. */
const LANGUAGES_OF: ReadonlyMap<string, readonly string[]> = new Map(
  [...new Set(Object.values(FUNCTION_WORDS).flat())].map((word) => [
    word,
    Object.keys(FUNCTION_WORDS).filter((language) => FUNCTION_WORDS[language]?.includes(word)),
  ]),
);

function languageOf(text: string): string | undefined {
  const foreign = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (foreign - latin > foreign / 2) return 'another script';
  const counts = new Map<string, number>();
  let best: string | undefined;
  let most = 2;
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    for (const language of LANGUAGES_OF.get(word) ?? []) {
      const count = (counts.get(language) ?? 0) + 1;
      counts.set(language, count);
      if (count > most) [best, most] = [language, count];
    }
  }
  return best;
}

const language: Rule = {
  id: 'desc-language',
  level: 'info',
  sentence: 'All texts are in the language of the most.',
  *check(model) {
    const told = texts(model).filter(({ text, kind }) => text.length >= LONG_ENOUGH && kind !== 'prompt');
    const found = told.map((prose) => ({ prose, language: languageOf(prose.text) }));
    const counts = new Map<string, number>();
    for (const one of found)
      if (one.language !== undefined) counts.set(one.language, (counts.get(one.language) ?? 0) + 1);
    const [main] = [...counts].sort(([, left], [, right]) => right - left)[0] ?? [];
    if (counts.size < 2) return;
    for (const one of found) {
      if (one.language === undefined || one.language === main) continue;
      yield inProse(one.prose, `The text is in ${one.language}, most others are in ${main ?? ''}.`, 'Translate it.');
    }
  },
};

const cycle: Rule = {
  id: 'xref-cycle',
  level: 'info',
  sentence: 'No two tools send the reader to each other for the same thing.',
  *check({ tools }) {
    const sends = new Map(
      tools.map(({ name, description }) => [
        name,
        [...description.matchAll(/\b(?:see|like|same as|as in|instead,? use|compare) `([a-z0-9_]+)`/giu)].map(
          ([, to]) => to,
        ),
      ]),
    );
    for (const tool of tools) {
      for (const other of sends.get(tool.name) ?? []) {
        if (other === undefined || other >= tool.name || sends.get(other)?.includes(tool.name) !== true) continue;
        yield onTool(
          tool,
          ['description'],
          `\`${tool.name}\` sends to \`${other}\`, which sends back.`,
          'Explain it in one of them.',
          'value',
        );
      }
    }
  },
};

/** What some clients keep of the instructions. */
const KEPT = 512;

const start: Rule = {
  id: 'instructions-start',
  level: 'warning',
  sentence: `The first ${KEPT} characters of the instructions name the tool to begin with.`,
  *check({ server, tools }) {
    const kept = server.instructions.slice(0, KEPT);
    if (
      tools.length === 0 ||
      [...kept.matchAll(/`([a-z0-9_]+)`/gu)].some(([, name]) => tools.some((one) => one.name === name))
    )
      return;
    yield {
      source: server.source,
      path: ['instructions'],
      entity: 'server',
      message: `Clients that keep ${KEPT} characters of the instructions never learn where to begin.`,
      remedy: 'Name the first tool to call at the top.',
    };
  },
};

export const guidanceRules: readonly Rule[] = [
  prerequisites,
  cost,
  defaults,
  enums,
  marketing,
  staleNumber,
  language,
  cycle,
  start,
];
