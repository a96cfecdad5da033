import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { BadInput, palette, type ExitCode, type Io } from './io.ts';
import { plural } from './report.ts';

export interface InitFlags {
  readonly name?: string;
  readonly package?: string;
}

const NAME = /^[a-z][a-z0-9-]{0,30}[a-z0-9]$/u;

/** Adds `init`; `done` takes the exit code. */
export function registerInit(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('init')
    .summary('begin a contract-first project')
    .description(
      'Writes a small working project into an empty folder: one tool, its adapter, its test, the gate in CI.',
    )
    .argument('<folder>', 'folder of the project; made when it is not there')
    .option('--name <name>', 'name of the server (default: that of the folder)')
    .option('--package <spec>', 'where the project gets overmind-mcp from, such as a version or a file')
    .allowExcessArguments(false)
    .action(async (folder: string, flags: InitFlags) => done(await runInit(folder, flags, io)));
}

async function runInit(folder: string, flags: InitFlags, io: Io): Promise<ExitCode> {
  const target = resolve(io.cwd, folder);
  const name = flags.name ?? basename(target);
  if (!NAME.test(name)) {
    throw new BadInput(
      `\`${name}\` cannot be the name of a server. Use lower case letters, digits and hyphens, 2 to 32 of them, or give another with --name.`,
    );
  }
  requireEmpty(target, folder);
  const { projectFiles, VERSIONS } = await import('../init/project-files.ts');
  const files = projectFiles({ name, package: flags.package ?? VERSIONS.overmind });
  for (const [path, text] of files) write(join(target, path), text);
  const { green } = palette(io.color);
  const place = relative(io.cwd, target);
  io.out(`${green(`${plural(files.size, 'file')} written`)} for ${name}. Next:\n`);
  const steps = ['npm install', 'npm run generate', 'npm test', 'npm start'];
  for (const step of place === '' ? steps : [`cd ${place}`, ...steps]) io.out(`  ${step}\n`);
  return 0;
}

/** A repository that was just made is empty too: what begins with a dot does not count. */
function requireEmpty(target: string, shown: string): void {
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new BadInput(`${shown} is a file.`);
  const files = readdirSync(target).filter((name) => !name.startsWith('.'));
  if (files.length > 0) throw new BadInput(`${shown} is not empty. A project begins in an empty folder.`);
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    throw new BadInput(`The project cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
