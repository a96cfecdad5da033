import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseDocument } from 'yaml';
import type { Containment } from '../contain/contains.ts';
import { isObject } from '../contain/json.ts';
import type { JsonSchema, JsonValue } from '../model/types.ts';
import { BadInput, palette, type ExitCode, type Io } from './io.ts';
import { printJson } from './report.ts';

interface Flags {
  readonly json?: boolean;
  readonly formats: 'annotation' | 'assert';
  readonly steps?: number;
}

const EXIT: Readonly<Record<Containment['verdict'], ExitCode>> = { proved: 0, refuted: 1, unknown: 4 };

const HELP = `
OLD and NEW are JSON or YAML files, each one JSON Schema 2020-12 document. The question is whether every value OLD
accepts is accepted by NEW: the test for the arguments of a tool. Swap the files to ask it about a result.

Exit codes: 0 contained, 1 not contained (a witness is printed: OLD accepts it, NEW refuses it),
2 bad input, 3 a fault of the command itself, 4 not decided (the keyword that stopped it is printed).`;

/** Adds `contains OLD NEW`; `done` takes the exit code. */
export function registerContains(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('contains')
    .summary('say whether one JSON Schema accepts all that another accepts')
    .description('Says whether every value the schema OLD accepts is accepted by the schema NEW.')
    .argument('<old>', 'schema file, JSON or YAML')
    .argument('<new>', 'schema file, JSON or YAML')
    .option('--json', 'print the answer as JSON')
    .addOption(
      new Option('--formats <mode>', 'whether "format" refuses values')
        .choices(['annotation', 'assert'])
        .default('annotation'),
    )
    .option('--steps <count>', 'units of work before the answer is "not decided"', readCount)
    .addHelpText('after', HELP)
    .allowExcessArguments(false)
    .action(async (before: string, after: string, flags: Flags) => done(await run(before, after, flags, io)));
}

async function run(before: string, after: string, flags: Flags, io: Io): Promise<ExitCode> {
  // Loaded here, because the other commands should not wait for the validators.
  const { createProver } = await import('../contain/contains.ts');
  const { SchemaFault } = await import('../contain/stop.ts');
  const prover = createProver({
    formats: flags.formats,
    ...(flags.steps === undefined ? {} : { limits: { steps: flags.steps } }),
  });
  const answer = ask(() => prover.contains(readSchema(before, io), readSchema(after, io)), SchemaFault);
  if (flags.json === true) printJson(answer, io);
  else io.out(`${sentence(answer, io)}\n`);
  return EXIT[answer.verdict];
}

function ask(question: () => Containment, Fault: new (message: string) => Error): Containment {
  try {
    return question();
  } catch (error) {
    if (error instanceof Fault) throw new BadInput(error.message);
    throw error;
  }
}

function sentence(answer: Containment, io: Io): string {
  const { green, red, yellow } = palette(io.color);
  switch (answer.verdict) {
    case 'proved':
      return green('contained: every value the old schema accepts is accepted by the new one');
    case 'refuted':
      return `${red('not contained: the old schema accepts this value, the new one refuses it')}\n${JSON.stringify(answer.witness, null, 2)}`;
    case 'unknown':
      return yellow(
        `not decided: stopped by ${answer.keyword} at ${answer.path === '' ? '/' : answer.path}: ${answer.reason}`,
      );
  }
}

function readSchema(path: string, io: Io): JsonSchema {
  const value = parse(path, io);
  if (typeof value === 'boolean' || isObject(value)) return value;
  throw new BadInput(`${path} holds no JSON Schema: one is an object, true or false.`);
}

function parse(path: string, io: Io): JsonValue {
  const document = parseDocument(text(path, io), { version: '1.2', schema: 'core', uniqueKeys: true, merge: false });
  const [fault] = document.errors;
  if (fault !== undefined) throw new BadInput(`${path} is neither JSON nor YAML: ${fault.message}`);
  // because the core schema of YAML gives JSON values only, and tags outside it are faults
  return document.toJS({ maxAliasCount: 1000 }) as JsonValue;
}

function text(path: string, io: Io): string {
  try {
    return readFileSync(resolve(io.cwd, path), 'utf8');
  } catch {
    throw new BadInput(`Cannot read ${path}.`);
  }
}

function readCount(value: string): number {
  const count = Number(value);
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('Give a whole number of at least 1.');
  return count;
}
