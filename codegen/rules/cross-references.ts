/** Names in backticks: each one that looks like a name of this contract must be one. */
import { isList } from '../grammar/value-kinds.ts';
import { suggestion } from '../load/did-you-mean.ts';
import type { ContractModel } from '../model/types.ts';
import { resourceMatcher } from './uris.ts';
import type { Finding, Rule } from './rule.ts';
import { differentTexts, texts } from './texts.ts';
import { properties, visits } from './walk.ts';
import { INJECTED_ARGUMENTS, VERBS } from './words.ts';

/** Members of the protocol's and the error envelope's own objects. */
const PROTOCOL_WORDS = [
  'isError',
  'error',
  'code',
  'message',
  'retryable',
  'fields',
  'structuredContent',
  'resource_link',
  'content',
  'resources',
  'tools',
  'prompts',
  'tools_list',
  'true',
  'false',
  'null',
  'application_json',
];

interface Universe {
  readonly tools: ReadonlySet<string>;
  readonly retired: ReadonlyMap<string, string>;
  readonly prompts: ReadonlySet<string>;
  readonly errors: ReadonlySet<string>;
  /** Members, enum words, kinds, statuses and other names a text may mention. */
  readonly members: ReadonlySet<string>;
}

const made = new WeakMap<ContractModel, Universe>();

function members(model: ContractModel): Set<string> {
  const known = new Set<string>([...PROTOCOL_WORDS, ...INJECTED_ARGUMENTS]);
  for (const { schema } of visits(model)) {
    for (const name of Object.keys(properties(schema))) known.add(name);
    if (isList(schema['enum'])) for (const one of schema['enum']) if (typeof one === 'string') known.add(one);
    if (typeof schema['const'] === 'string') known.add(schema['const']);
  }
  for (const job of model.jobs) {
    for (const name of [job.name, ...job.aliases, ...job.statuses.map((status) => status.name)]) known.add(name);
  }
  for (const one of model.resources) for (const { name } of [...one.variables, ...one.query]) known.add(name);
  for (const { arguments: given } of model.prompts) for (const { name } of given) known.add(name);
  for (const { parameters } of model.endpoints) for (const { name } of parameters) known.add(name);
  for (const list of [model.resources, model.models, model.domains, model.scopes, model.endpoints])
    for (const { name } of list) known.add(name);
  return known;
}

function universe(model: ContractModel): Universe {
  let known = made.get(model);
  if (known === undefined) {
    known = {
      tools: new Set(model.tools.flatMap(({ name, aliases }) => [name, ...aliases])),
      retired: new Map(
        model.tools
          .filter(({ deprecated }) => deprecated !== undefined)
          .map(({ name, deprecated }) => [name, deprecated?.replacement ?? '']),
      ),
      prompts: new Set(model.prompts.map(({ name }) => name)),
      errors: new Set(model.errors.map(({ code }) => code)),
      members: members(model),
    };
    made.set(model, known);
  }
  return known;
}

type Sort = 'xref-tool' | 'xref-arg' | 'xref-error' | 'xref-uri' | 'xref-prompt';

interface Miss {
  readonly sort: Sort;
  readonly word: string;
  readonly remedy: string;
}

function missOfName(word: string, known: Universe): Miss | undefined {
  const { tools, errors, members: names } = known;
  if (tools.has(word) || errors.has(word) || names.has(word)) return undefined;
  const all = [...tools, ...errors, ...names];
  const [verb = ''] = word.split('_');
  if (VERBS.includes(verb))
    return { sort: 'xref-tool', word, remedy: suggestion(word, tools, 'Name a tool of this contract.') };
  const isError =
    /_(?:not_found|invalid|conflict|busy|required|denied|failed|unsupported|locked|exceeded|unavailable|retired|allowed)$/u.test(
      word,
    );
  if (isError)
    return { sort: 'xref-error', word, remedy: suggestion(word, errors, 'Name a code of vocabulary/errors.yaml.') };
  return { sort: 'xref-arg', word, remedy: suggestion(word, all, 'Name an argument or member of this contract.') };
}

function missOf(word: string, model: ContractModel, known: Universe): Miss | undefined {
  if (word.startsWith(`${model.server.uriScheme}://`)) {
    if (resourceMatcher(model)(word)) return undefined;
    const addresses = model.resources.map(({ uri, uriTemplate }) => uri ?? uriTemplate ?? '');
    return { sort: 'xref-uri', word, remedy: suggestion(word, addresses, 'Name the address of a resource.') };
  }
  if (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/u.test(word)) {
    if (known.prompts.has(word) || known.members.has(word)) return undefined;
    return { sort: 'xref-prompt', word, remedy: suggestion(word, known.prompts, 'Name a prompt of this contract.') };
  }
  if (/^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/u.test(word)) {
    const wrong = word.split('.').find((step) => !known.members.has(step));
    return wrong === undefined
      ? undefined
      : { sort: 'xref-arg', word, remedy: suggestion(wrong, known.members, 'Name members of this contract.') };
  }
  return /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/u.test(word) ? missOfName(word, known) : undefined;
}

const missed = new WeakMap<ContractModel, ReadonlyMap<Sort, readonly Finding[]>>();

/** Every name in backticks that is none, by what it looks like; one walk over the texts answers all five rules. */
function misses(model: ContractModel, sort: Sort): readonly Finding[] {
  let found = missed.get(model);
  if (found === undefined) {
    found = findMisses(model);
    missed.set(model, found);
  }
  return found.get(sort) ?? [];
}

function findMisses(model: ContractModel): Map<Sort, Finding[]> {
  const known = universe(model);
  const found = new Map<Sort, Finding[]>();
  for (const [text, places] of differentTexts(model)) {
    if (!text.includes('`')) continue;
    for (const [, word = ''] of text.matchAll(/`([^`\n]{1,200})`/gu)) {
      const miss = missOf(word, model, known);
      if (miss === undefined) continue;
      const findings = found.get(miss.sort) ?? [];
      found.set(miss.sort, findings);
      for (const { entity, source, path } of places) {
        const message = `\`${word}\` names nothing in this contract.`;
        findings.push({ entity, source, path, message, remedy: miss.remedy });
      }
    }
  }
  return found;
}

function rule(id: Sort, sentence: string): Rule {
  return { id, level: 'error', sentence, check: (model) => misses(model, id) };
}

const deprecated: Rule = {
  id: 'xref-deprecated',
  level: 'warning',
  sentence: 'Texts do not send the reader to what is going away.',
  *check(model) {
    const { retired } = universe(model);
    if (retired.size === 0) return;
    for (const { text, entity, source, path } of texts(model)) {
      for (const [, word = ''] of text.matchAll(/`([a-z0-9_]+)`/gu)) {
        const replacement = retired.get(word);
        if (replacement === undefined || entity === `tool ${word}`) continue;
        yield {
          entity,
          source,
          path,
          message: `\`${word}\` is deprecated.`,
          remedy: replacement === '' ? 'Name another tool.' : `Name \`${replacement}\`.`,
        };
      }
    }
  },
};

export const crossReferenceRules: readonly Rule[] = [
  rule('xref-tool', 'Every tool that a text names exists.'),
  rule('xref-arg', 'Every argument or member that a text names exists.'),
  rule('xref-error', 'Every error code that a text names exists.'),
  rule('xref-uri', 'Every address that a text names is one of a resource.'),
  rule('xref-prompt', 'Every prompt that a text names exists.'),
  deprecated,
];
