import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { writeSnapshot } from '../baseline/snapshot.ts';
import type { Target } from '../pull/pull.ts';
import type { Surface } from '../diff/surface/types.ts';
import { oneLine, plural } from '../report/text.ts';
import { BadInput, type ExitCode, type Io } from './io.ts';
import type { PullFlags } from './server-flags.ts';
import { pullTarget, targetOf } from './target-flags.ts';

export async function runPull(server: readonly string[], flags: PullFlags, io: Io): Promise<ExitCode> {
  const { surface, notes } = await pullTarget(serverOf(server, flags, io), flags, io);
  const text = writeSnapshot(surface);
  if (flags.out === undefined) io.out(text);
  else write(resolve(io.cwd, flags.out), text);
  for (const note of notes) io.err(`Note: ${oneLine(note)}\n`);
  io.err(`${summary(surface)}\n`);
  return 0;
}

function serverOf(server: readonly string[], flags: PullFlags, io: Io): Target {
  const [first, ...rest] = server;
  if (flags.stdio === true) {
    if (first === undefined) throw new BadInput('Name the command of the server after --stdio --.');
    if (flags.header.length > 0 || flags.grant.length > 0) {
      throw new BadInput('A command takes no headers; give its credentials in its environment.');
    }
    return { kind: 'stdio', command: server, cwd: io.cwd };
  }
  if (first === undefined) throw new BadInput('Give the address of a server, or --stdio -- and its command.');
  if (rest.length > 0) throw new BadInput('Give one address only; a command goes after --stdio --.');
  return targetOf(first, flags);
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new BadInput(`The snapshot cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function summary({ server, tools, resources, prompts, views }: Surface): string {
  const grants = new Set(views.map(({ grant }) => grant)).size;
  const counts = [
    plural(Object.keys(tools).length, 'tool'),
    plural(Object.values(resources).filter(({ uri }) => uri !== undefined).length, 'resource'),
    plural(Object.values(resources).filter(({ uri }) => uri === undefined).length, 'template'),
    plural(Object.keys(prompts).length, 'prompt'),
  ].join(', ');
  return `${oneLine(server.name)} ${oneLine(server.version)}: ${counts}; ${plural(grants, 'grant')}, ${server.revisions.join(' and ')}.`;
}
