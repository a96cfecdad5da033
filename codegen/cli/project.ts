import type { Command } from 'commander';
import { projectForProfile } from '../project/profile.ts';
import { checkTree, hasErrors } from './compile-tree.ts';
import { BadInput, type ExitCode, type Io } from './io.ts';
import { readOptions } from './options.ts';
import { plural, printDiagnostics, printJson } from './report.ts';

export interface ProjectFlags {
  readonly schemas?: string;
  readonly profile: string;
  readonly json?: boolean;
}

/** Adds `project --profile NAME`; `done` takes the exit code. */
export function registerProject(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('project')
    .summary('say what one client sees of the catalogue, and what it will not see')
    .description('Shows the catalogue as one client profile of the contracts takes it, with everything it loses.')
    .requiredOption('--profile <name>', 'a profile under profiles/')
    .option('--schemas <dir>', 'contract folder (default: schemas)')
    .option('--json', 'print the tools and the losses as JSON')
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
  const { model, projection } = parts;
  const profile = model.profiles.find(({ name }) => name === flags.profile);
  if (profile === undefined) {
    const known = model.profiles.map(({ name }) => name).join(', ');
    throw new BadInput(`There is no profile ${flags.profile}. The contracts have: ${known || 'none'}.`);
  }
  const view = projectForProfile(model, projection, profile);
  const { sources } = profile;
  if (flags.json === true) {
    printJson({ profile: profile.name, sources, ...view }, io);
    return 0;
  }
  for (const { entity, pointer, keyword, message } of view.losses)
    io.out(`${entity}${pointer === '' ? '' : ` ${pointer}`} ${keyword}: ${message}\n`);
  io.out(
    `${profile.title} sees ${view.tools.length} of ${plural(model.tools.length, 'tool')}; ${plural(view.losses.length, 'detail')} left out.\n`,
  );
  return 0;
}
