import type { Command } from 'commander';
import type { ProfileSpec } from '../model/types.ts';
import type { Loss } from '../project/loss.ts';
import { projectForProfile } from '../project/profile.ts';
import { checkTree, hasErrors } from './compile-tree.ts';
import type { Checked } from './compile-tree.ts';
import { BadInput, type ExitCode, type Io } from './io.ts';
import { readOptions } from './options.ts';
import { plural, printDiagnostics, printJson } from './report.ts';

export interface ProjectFlags {
  readonly schemas?: string;
  readonly profile?: string;
  readonly tool?: string;
  readonly json?: boolean;
}

const HELP = `
Without --profile every profile stands in one table. A loss names the tool, the place in its published input and the
reason; where the reason was read stands below. What no client sees, because published schemas are portable, comes with
--tool or --json.`;

type Parts = NonNullable<Checked['parts']>;

/** Adds `project`; `done` takes the exit code. */
export function registerProject(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('project')
    .summary('say what each client sees of the catalogue, and what it will not see')
    .description('Shows the catalogue as the client profiles of the contracts take it, with everything they lose.')
    .option('--profile <name>', 'a profile under profiles/')
    .option('--tool <name>', 'one tool alone, with what no client sees of it')
    .option('--schemas <dir>', 'contract folder (default: schemas)')
    .option('--json', 'print the tools and the losses as JSON')
    .addHelpText('after', HELP)
    .allowExcessArguments(false)
    .action(async (flags: ProjectFlags) => done(await runProject(flags, io)));
}

async function runProject(flags: ProjectFlags, io: Io): Promise<ExitCode> {
  const { schemas } = readOptions(flags.schemas === undefined ? {} : { schemas: flags.schemas }, io);
  const { parts, diagnostics } = await checkTree(schemas);
  if (parts === undefined || hasErrors(diagnostics)) {
    printDiagnostics(diagnostics, schemas, io);
    return 1;
  }
  const { profiles, tools } = parts.model;
  const known = (names: readonly string[]): string => names.join(', ') || 'none';
  if (flags.tool !== undefined && !tools.some(({ name }) => name === flags.tool))
    throw new BadInput(`There is no tool ${flags.tool}. The contracts have: ${known(tools.map(({ name }) => name))}.`);
  const chosen = profiles.filter(({ name }) => flags.profile === undefined || name === flags.profile);
  if (chosen.length === 0)
    throw new BadInput(
      `There is no profile ${flags.profile ?? 'yet'}. The contracts have: ${known(profiles.map(({ name }) => name))}.`,
    );
  if (flags.json === true) {
    const views = chosen.map((profile) => asJson(parts, profile, flags.tool));
    const published = lossesOf(parts.projection.losses, flags.tool);
    printJson(flags.profile === undefined ? { profiles: views, published } : { ...views[0], published }, io);
  } else if (flags.profile === undefined && flags.tool === undefined) printTable(parts, io);
  else for (const profile of chosen) printProfile(parts, profile, flags.tool, io);
  if (flags.json !== true && flags.tool !== undefined) {
    const published = lossesOf(parts.projection.losses, flags.tool);
    for (const loss of published) io.out(`  ${lineOf(loss)}\n`);
    io.out(`No client sees ${plural(published.length, 'detail')} of ${flags.tool}; the server checks them all.\n`);
  }
  return 0;
}

function lossesOf(losses: readonly Loss[], tool: string | undefined): readonly Loss[] {
  if (tool === undefined) return losses;
  return losses.filter(({ entity }) => entity === `tool ${tool}` || entity.startsWith(`tool ${tool} `));
}

function asJson({ model, projection }: Parts, profile: ProfileSpec, tool: string | undefined): object {
  const { tools, losses, instructions } = projectForProfile(model, projection, profile);
  const { name, title, sources } = profile;
  const shown = tools.filter((one) => tool === undefined || one.name === tool);
  return { profile: name, title, sources, tools: shown, instructions, losses: lossesOf(losses, tool) };
}

function printProfile({ model, projection }: Parts, profile: ProfileSpec, tool: string | undefined, io: Io): void {
  const view = projectForProfile(model, projection, profile);
  const losses = lossesOf(view.losses, tool);
  for (const loss of losses) io.out(`  ${lineOf(loss)}\n`);
  for (const of of new Set(losses.map((loss) => loss.of ?? loss.keyword)))
    for (const { source, seen } of profile.sources.filter((one) => one.of === of))
      io.out(`  ${of}: ${source}, seen ${seen}\n`);
  const sees =
    tool === undefined
      ? `${view.tools.length} of ${plural(model.tools.length, 'tool')}`
      : view.tools.some(({ name }) => name === tool)
        ? tool
        : `nothing of ${tool}`;
  io.out(`${profile.title} sees ${sees}; ${plural(losses.length, 'detail')} left out.\n`);
}

function printTable({ model, projection }: Parts, io: Io): void {
  const rows = model.profiles.map((profile) => {
    const { tools, losses } = projectForProfile(model, projection, profile);
    const kinds = [...new Set(losses.map(({ keyword }) => keyword))].sort();
    return [profile.name, `${tools.length}/${model.tools.length}`, String(losses.length), kinds.join(', ')];
  });
  const all = [['profile', 'tools', 'left out', 'of'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lineFor = (row: readonly string[]): string => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  for (const row of all) io.out(`${lineFor(row).trimEnd()}\n`);
  const published = projection.losses.length;
  io.out(`${plural(published, 'detail')} of the contracts published to no client; the server checks them all.\n`);
}

function lineOf({ entity, pointer, keyword, message }: Loss): string {
  return `${entity}${pointer === '' ? '' : ` ${pointer}`} ${keyword}: ${message}`;
}
