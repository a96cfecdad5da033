/** Names that callers confuse, abbreviate or guess wrongly. */
import type { ContractModel, ToolSpec } from '../model/types.ts';
import { onTool } from './outputs.ts';
import type { Finding, Rule } from './rule.ts';
import { deref, finding, propertyName, visits } from './walk.ts';
import type { Visit } from './walk.ts';
import { ABBREVIATIONS, COLLECTIVES, GUESSED_ARGUMENTS } from './words.ts';

/** Whether one of two tools tells the reader about the other. */
function namesOther(left: ToolSpec, right: ToolSpec): boolean {
  return left.description.includes(`\`${right.name}\``) || right.description.includes(`\`${left.name}\``);
}

function singular(word: string): string {
  return word.length > 3 ? word.replace(/(?<=s|x|ch)es$|(?<!s)s$/u, '') : word;
}

/** Keys that two names share when they have the same words, or differ in one letter. */
function* likenesses(name: string): Generator<string> {
  yield name.split('_').map(singular).sort().join(' ');
  for (let at = 0; at < name.length; at += 1) yield `${name.slice(0, at)}${name.slice(at + 1)}`;
}

/** For each tool that is easily taken for an earlier one: that one. */
function lookalikes(tools: readonly ToolSpec[]): ReadonlyMap<ToolSpec, ToolSpec> {
  const seen = new Map<string, ToolSpec>();
  const found = new Map<ToolSpec, ToolSpec>();
  for (const tool of tools) {
    const keys = [...likenesses(tool.name)];
    for (const key of keys) {
      const other = seen.get(key);
      if (other !== undefined && !found.has(tool)) found.set(tool, other);
    }
    for (const key of keys) seen.set(key, tool);
  }
  return found;
}

const collision: Rule = {
  id: 'name-collision',
  level: 'warning',
  sentence: 'Tools whose names differ in a letter or in the order of words say which is for what.',
  *check({ tools }) {
    for (const [tool, other] of lookalikes(tools)) {
      if (namesOther(tool, other)) continue;
      yield onTool(
        tool,
        ['name'],
        `\`${tool.name}\` is easily taken for \`${other.name}\`.`,
        'Rename one, or say in a description when to use the other.',
        'value',
      );
    }
  },
};

function* argumentVisits(model: ContractModel): Generator<Visit> {
  for (const visit of visits(model)) if (visit.root.role === 'input' && visit.keyword === 'properties') yield visit;
}

const abbreviation: Rule = {
  id: 'name-abbreviation',
  level: 'info',
  sentence: 'Names of tools and arguments are written out.',
  *check(model) {
    const fault = (name: string): readonly [string, string] | undefined => {
      for (const word of name.split('_')) {
        const whole = ABBREVIATIONS.get(word);
        if (whole !== undefined) return [`\`${word}\` in \`${name}\` is an abbreviation.`, `Write \`${whole}\`.`];
      }
      return undefined;
    };
    for (const tool of model.tools) {
      const found = fault(tool.name);
      if (found !== undefined) yield onTool(tool, ['name'], ...found, 'value');
    }
    for (const visit of argumentVisits(model)) {
      const found = fault(String(visit.member));
      if (found !== undefined) yield finding(visit, ...found);
    }
  },
};

const ID_SUFFIX = /_(?:id|uuid|guid|key|ref|identifier)$/u;

const synonym: Rule = {
  id: 'arg-name-synonym',
  level: 'warning',
  sentence: 'One thing is identified by one argument name in all tools.',
  *check(model): Generator<Finding> {
    const first = new Map<string, string>();
    for (const visit of argumentVisits(model)) {
      const name = String(visit.member);
      const identifies = ID_SUFFIX.test(name) || deref(model, visit.schema)['id_kind'] === 'reference';
      if (!identifies || visit.depth !== 1) continue;
      const stem = name.replace(ID_SUFFIX, '');
      const other = first.get(stem) ?? name;
      first.set(stem, other);
      if (other !== name)
        yield finding(visit, `\`${name}\` is called \`${other}\` elsewhere.`, 'Use one name for one thing.');
    }
  },
};

const guessable: Rule = {
  id: 'arg-name-guessable',
  level: 'info',
  sentence: 'Arguments of paging and searching have the names that callers try first.',
  *check(model) {
    for (const visit of argumentVisits(model)) {
      const usual = GUESSED_ARGUMENTS.get(String(visit.member));
      if (usual !== undefined && visit.depth === 1)
        yield finding(visit, `Callers try \`${usual}\` before \`${visit.member ?? ''}\`.`, `Name it \`${usual}\`.`);
    }
  },
};

const ANSWERS: ReadonlySet<string> = new Set(['output', 'shared', 'payload']);

const plural: Rule = {
  id: 'name-plural',
  level: 'warning',
  sentence: 'A list in a result has the plural of what it holds as its name.',
  *check(model) {
    for (const visit of visits(model)) {
      if (visit.keyword !== 'properties' || !ANSWERS.has(visit.root.role) || visit.schema['type'] !== 'array') continue;
      const name = propertyName(visit) ?? '';
      const last = name.split('_').at(-1) ?? '';
      if (last.endsWith('s') || COLLECTIVES.has(last)) continue;
      yield finding(visit, `\`${name}\` holds a list and reads as one thing.`, 'Use the plural.');
    }
  },
};

const VERB_FAMILIES: readonly (readonly string[])[] = [
  ['get', 'inspect', 'read', 'describe', 'show', 'fetch'],
  ['list', 'search', 'find'],
  ['create', 'add', 'make'],
  ['update', 'set', 'configure', 'edit'],
  ['start', 'run'],
];

/** Verb family and the thing acted on, without what qualifies it: `create_dataset_from_traces` is about a dataset. */
function purposeOf({ name }: ToolSpec): string {
  const [verb = '', ...rest] = name.split('_');
  const family = VERB_FAMILIES.findIndex((verbs) => verbs.includes(verb));
  const cut = rest.findIndex((word) => /^(?:from|by|for|with|of|in|\d+)$/u.test(word));
  const thing = (cut === -1 ? rest : rest.slice(0, cut)).map(singular).join('_');
  return `${family === -1 ? verb : family} ${thing}`;
}

const when: Rule = {
  id: 'desc-when',
  level: 'warning',
  sentence: 'Of several tools for one purpose each is told apart from another by name.',
  *check({ tools }) {
    const alike = lookalikes(tools);
    const groups = new Map<string, ToolSpec[]>();
    for (const tool of tools) {
      const purpose = purposeOf(tool);
      const group = groups.get(purpose) ?? [];
      group.push(tool);
      groups.set(purpose, group);
    }
    for (const group of groups.values()) {
      for (const [index, tool] of group.entries()) {
        const other = group[index === 0 ? 1 : 0];
        // The first of a pair is told about with the second; look-alikes have a rule of their own.
        if (index === 0 || other === undefined || alike.has(tool)) continue;
        if (group.some((one) => one !== tool && namesOther(one, tool))) continue;
        yield onTool(
          tool,
          ['description'],
          `Nothing says when to use \`${tool.name}\` and when \`${other.name}\`.`,
          'Name the other and what it is for.',
          'value',
        );
      }
    }
  },
};

export const namingRules: readonly Rule[] = [collision, when, abbreviation, synonym, guessable, plural];
