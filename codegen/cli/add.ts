/** `add`: its flags, and the questions that stand in for flags on a terminal. */
import { existsSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Option, type Command } from 'commander';
import { ADDABLE, contractText, type Addable, type Wanted } from '../add/contract-text.ts';
import { BadField, FIELD_TYPES } from '../add/fields.ts';
import { didYouMean } from '../load/did-you-mean.ts';
import type { ContractModel } from '../model/types.ts';
import { writeAtomic } from '../write/apply.ts';
import { checkTree, hasErrors } from './compile-tree.ts';
import { BadInput, palette, type ExitCode, type Io } from './io.ts';
import { readOptions } from './options.ts';
import { printDiagnostics } from './report.ts';

export interface AddFlags {
  readonly schemas?: string;
  readonly domain?: string;
  readonly title?: string;
  readonly description?: string;
  readonly write?: boolean;
  readonly project?: 'required' | 'none';
  readonly argument: readonly string[];
  readonly error: readonly string[];
  readonly uri?: string;
  readonly text?: string;
}

const HELP = `
Types of arguments: ${FIELD_TYPES.join(', ')}. On a terminal add asks for what no flag says.

Examples:
  mcp-contract add tool check_spelling --domain texts --argument text=text --description 'Check the spelling of …'
  mcp-contract add resource note --uri 'notes://notes/{note}' --description 'One note as it is now.'
  mcp-contract add prompt tidy-up --argument topic --text 'Call {{tool "list_notes"}} for {{topic}} …'
  mcp-contract add model note --argument id=uuid --argument text=text`;

const EXAMPLES: Readonly<Record<Addable, string>> = {
  tool: 'check_spelling',
  resource: 'note',
  prompt: 'tidy-up',
  model: 'note',
};

/** Adds `add`; `done` takes the exit code. */
export function registerAdd(program: Command, io: Io, done: (code: ExitCode) => void): void {
  const command = program.command('add').summary('write a new contract file that lints');
  for (const kind of ADDABLE) {
    const one = command
      .command(kind)
      .summary(`write a new ${kind}`)
      .argument('[name]', `name of the ${kind}; asked for on a terminal`)
      .option('--schemas <dir>', 'contract folder (default: schemas)')
      .option('--title <text>', 'short name for people (default: from the name)')
      .option('--description <text>', 'the goal, the important limit, the next step');
    if (kind === 'tool' || kind === 'resource') {
      one
        .option('--domain <name>', 'domain it belongs to (default: the only one)')
        .addOption(new Option('--project <how>', 'whether it works in a project').choices(['required', 'none']));
    }
    if (kind === 'tool') {
      one
        .option('--write', 'it changes something')
        .option('--error <code>', 'code it may answer; give it again for more', collect);
    }
    if (kind === 'resource') one.option('--uri <address>', 'address, with {variables} for a template');
    else one.option('--argument <name=type>', 'argument or member; give it again for more', collect);
    if (kind === 'prompt') {
      one.option('--text <text>', 'what the prompt says').option('--write', 'it leads to tools that change something');
    }
    one
      .addHelpText('after', HELP)
      .allowExcessArguments(false)
      .action(async (given: string | undefined, flags: Partial<AddFlags>) => {
        const name = given ?? (await asked(io, 'The name', `Name of the ${kind}, such as ${EXAMPLES[kind]}?`));
        done(await runAdd(kind, name, { argument: [], error: [], ...flags }, io));
      });
  }
}

async function runAdd(kind: Addable, name: string, flags: AddFlags, io: Io): Promise<ExitCode> {
  const { schemas } = readOptions(flags.schemas === undefined ? {} : { schemas: flags.schemas }, io);
  const before = await checkTree(schemas);
  if (before.parts === undefined || hasErrors(before.diagnostics)) {
    printDiagnostics(before.diagnostics, schemas, io);
    io.err('Nothing was written: the contracts have errors already.\n');
    return 1;
  }
  const { path, text } = textOf(await wantedOf(kind, name, flags, { model: before.parts.model, io }));
  const file = join(schemas, path);
  const shown = relative(io.cwd, file);
  if (existsSync(file)) throw new BadInput(`${shown} exists already.`);
  writeAtomic(file, text);
  const { diagnostics } = await checkTree(schemas);
  const known = new Set(before.diagnostics.map((one) => JSON.stringify(one)));
  const own = diagnostics.filter((one) => !known.has(JSON.stringify(one)));
  printDiagnostics(own, schemas, io);
  if (hasErrors(own)) {
    rmSync(file);
    io.err('Nothing was written: the file would not lint.\n');
    return 1;
  }
  io.out(`${palette(io.color).green(`${shown} written`)}. Next: ${nextStep(kind)}\n`);
  return 0;
}

function nextStep(kind: Addable): string {
  switch (kind) {
    case 'tool':
      return 'complete its output, run generate and scaffold, write the adapter and the cases of its test.';
    case 'resource':
      return 'complete its payload, run generate, write its reader.';
    case 'prompt':
      return 'write what it says, run generate.';
    case 'model':
      return 'correct its bounds and refer to it with $ref: model:<name>.';
  }
}

function textOf(wanted: Wanted): ReturnType<typeof contractText> {
  try {
    return contractText(wanted);
  } catch (error) {
    if (error instanceof BadField) throw new BadInput(error.message);
    throw error;
  }
}

interface Setting {
  readonly model: ContractModel;
  readonly io: Io;
}

/** Flags first, then what the contracts already say, then the person. */
async function wantedOf(kind: Addable, name: string, flags: AddFlags, { model, io }: Setting): Promise<Wanted> {
  if (!/^[a-z][a-z0-9_-]*$/u.test(name)) throw new BadInput(`\`${name}\` is no name: use lower snake case.`);
  const { titleOf } = await import('../init/project-files.ts');
  const ask = (flag: string, question: string): Promise<string> => asked(io, flag, question);
  const description = flags.description ?? (await ask('--description', 'What is it for: goal, limit, next step?'));
  const inDomain = kind === 'tool' || kind === 'resource';
  const write = flags.write ?? (kind === 'tool' && (await agreed(io, 'Does it change something (yes or no)?')));
  const fields =
    kind === 'resource' || flags.argument.length > 0 || io.ask === undefined
      ? flags.argument
      : (await io.ask('Arguments, as name=type with spaces between (none: leave empty)?'))
          .split(/\s+/u)
          .filter(Boolean);
  if (kind === 'model' && fields.length === 0)
    throw new BadInput('A model has members. Give them with --argument name=type.');
  return {
    kind,
    name,
    title: flags.title ?? titleOf(name),
    description,
    domain: inDomain ? domainOf(flags.domain ?? (await onlyDomain(model, ask)), model) : '',
    scope: scopeOf(model, write ? 'write' : 'read'),
    project: flags.project ?? (model.tools.some(({ context }) => context === 'project') ? 'required' : 'none'),
    write,
    hasLink: model.models.some((one) => one.name === 'resource_link'),
    fields,
    errors: flags.error,
    uri:
      kind === 'resource'
        ? (flags.uri ?? (await ask('--uri', `Address, such as ${model.server.uriScheme}://${name}s/{${name}}?`)))
        : '',
    text: kind === 'prompt' ? (flags.text ?? (await ask('--text', 'What does it say to the model?'))) : '',
  };
}

async function onlyDomain(
  model: ContractModel,
  ask: (flag: string, question: string) => Promise<string>,
): Promise<string> {
  const [first, second] = model.domains;
  if (first !== undefined && second === undefined) return first.name;
  return ask('--domain', `Which domain: ${model.domains.map(({ name }) => name).join(', ')}?`);
}

function domainOf(name: string, model: ContractModel): string {
  const known = model.domains.map((domain) => domain.name);
  if (known.includes(name)) return name;
  throw new BadInput(
    `There is no domain \`${name}\`. ${didYouMean(name, known) ?? ''} A new one is added to vocabulary/domains.yaml.`,
  );
}

function scopeOf(model: ContractModel, permission: 'read' | 'write'): string {
  const scope = model.scopes.find((one) => one.permission === permission);
  if (scope === undefined) throw new BadInput(`vocabulary/scopes.yaml has no scope to ${permission}.`);
  return scope.name;
}

async function asked(io: Io, flag: string, question: string): Promise<string> {
  if (io.ask === undefined) throw new BadInput(`${flag} is missing. ${question}`);
  const answer = (await io.ask(question)).trim();
  if (answer === '') throw new BadInput(`${flag} is missing.`);
  return answer;
}

/** Without a terminal the answer is no. */
async function agreed(io: Io, question: string): Promise<boolean> {
  return io.ask !== undefined && /^y(?:es)?$/iu.test((await io.ask(question)).trim());
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
