/** `lint --rules`: every rule with its level, its sentence and the state of its two fixtures. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { isObject } from '../contain/json.ts';
import type { JsonValue } from '../model/types.ts';
import { RULES } from '../rules/index.ts';
import type { Rule } from '../rules/rule.ts';
import { READING_RULES } from '../rules/reading-rules.ts';
import type { ExitCode, Io } from './io.ts';
import { BadInput, palette } from './io.ts';
import { plural, printJson } from './report.ts';

/** Whether `--fix` mends all findings of a rule or some, or an editor offers a guess. */
const FIXES = { always: 'fix  ', some: 'fix ~', guess: 'fix ?', none: '     ' } as const;

/** Where this repository keeps them; a project without the file has rules, but no fixtures to show. */
const FIXTURES = 'tests/codegen/fixtures/rules.yaml';

interface Fixtures {
  readonly breaks: readonly string[];
  readonly keeps: readonly string[];
}

interface Listed extends Partial<Fixtures> {
  readonly id: string;
  readonly level: string;
  readonly when: 'reading' | 'model';
  readonly sentence: string;
  /** What `--fix` mends of it. */
  readonly fixes?: Rule['fixes'];
}

export function listRules(flags: { readonly fixtures?: string; readonly json: boolean }, io: Io): ExitCode {
  const fixtures = readFixtures(flags.fixtures, io);
  const rules = listed(fixtures ?? new Map());
  const lacking =
    fixtures === undefined
      ? []
      : rules.filter(({ breaks, keeps }) => {
          const both = (breaks?.length ?? 0) > 0 && (keeps?.length ?? 0) > 0;
          return !both;
        });
  if (flags.json) printJson({ ok: lacking.length === 0, rules }, io);
  else io.out(table(rules, lacking, { io, shown: fixtures !== undefined }));
  return lacking.length === 0 ? 0 : 1;
}

function listed(fixtures: ReadonlyMap<string, Fixtures>): Listed[] {
  const all: Listed[] = [
    ...READING_RULES.filter(({ id }) => !RULES.some((rule) => rule.id === id)).map((rule) => ({
      ...rule,
      when: 'reading' as const,
    })),
    ...RULES.map(({ id, level, sentence, fixes }) => ({
      id,
      level,
      sentence,
      when: 'model' as const,
      ...(fixes === undefined ? {} : { fixes }),
    })),
  ];
  return all
    .sort((left, right) => (left.id < right.id ? -1 : 1))
    .map((rule) => ({ ...rule, ...fixtures.get(rule.id) }));
}

interface Shown {
  readonly io: Io;
  readonly shown: boolean;
}

function table(rules: readonly Listed[], lacking: readonly Listed[], { io, shown }: Shown): string {
  const { red, yellow, green, dim } = palette(io.color);
  const paint = { error: red, warning: yellow, info: dim } as const;
  const width = Math.max(...rules.map(({ id }) => id.length));
  const lines = rules.map(({ id, level, breaks, keeps, sentence, fixes }) => {
    const paintLevel = level === 'error' || level === 'warning' || level === 'info' ? paint[level] : dim;
    const state = `${stateOf('breaks', breaks)} ${stateOf('keeps', keeps)}`;
    return `${paintLevel(level.padEnd(7))}  ${id.padEnd(width)}  ${shown ? `${state}  ` : ''}${FIXES[fixes ?? 'none']}  ${sentence}`;
  });
  const count = plural(rules.length, 'rule');
  if (!shown) return `${lines.join('\n')}\n${count}; no fixtures here, --fixtures FILE names them.\n`;
  const outcome =
    lacking.length === 0 ? green('none lacks one') : red(`lacking: ${lacking.map(({ id }) => id).join(', ')}`);
  return `${lines.join('\n')}\n${count}, ${rules.filter(({ fixes }) => fixes === 'always' || fixes === 'some').length} with a fix; fixtures: ${outcome}.\n`;
}

function stateOf(side: string, edits: readonly string[] | undefined): string {
  return edits === undefined || edits.length === 0 ? `${side} -` : `${side} ${edits.length}`;
}

function readFixtures(path: string | undefined, io: Io): ReadonlyMap<string, Fixtures> | undefined {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, path ?? FIXTURES), 'utf8');
  } catch {
    if (path === undefined) return undefined;
    throw new BadInput(`Cannot read ${path}.`);
  }
  // because YAML gives what JSON can hold, and the members are looked at below
  const all = parse(text) as JsonValue;
  if (!isObject(all)) throw new BadInput(`${path ?? FIXTURES} holds no fixtures.`);
  return new Map(
    Object.entries(all).map(([id, one]) => [id, { breaks: editsOf(one, 'breaks'), keeps: editsOf(one, 'keeps') }]),
  );
}

function editsOf(fixture: JsonValue, side: 'breaks' | 'keeps'): string[] {
  const edits = isObject(fixture) ? fixture[side] : undefined;
  return edits !== undefined && isObject(edits) ? Object.keys(edits) : [];
}
