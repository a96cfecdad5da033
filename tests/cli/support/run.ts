import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { noteText } from '../../support/watch-fetch.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** As in `tests/support/process.ts`: what was built starts sooner, the source needs no build. */
const PROGRAM =
  process.env['TEST_PROGRAM'] === 'dist'
    ? [resolve(ROOT, 'dist/src/cli/main.js')]
    : ['--import', resolve(ROOT, 'node_modules/tsx/dist/loader.mjs'), resolve(ROOT, 'src/cli/main.ts')];

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command in a process of its own, with these settings and no other. */
export function start(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const { PATH = '' } = process.env;
  return spawn(process.execPath, [...PROGRAM, ...args], {
    cwd: ROOT,
    env: { PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs the command to its end. */
export async function overmind(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Run> {
  const child = start(args, environment);
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  noteText(stdout + stderr);
  return { code: await ended, stdout, stderr };
}
