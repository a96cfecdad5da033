import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../kernel/duration.ts';
import type { Identity } from './embedded-identity.ts';
import { isAlive } from './file-lock.ts';

export interface ServerFiles {
  readonly folder: string;
  readonly data: string;
  readonly log: string;
  readonly socketFolder: string;
  readonly binaries: string;
}

export const EMBEDDED_USER = 'app';
export const EMBEDDED_PORT = 5432;

const LOG_MAX_BYTES = 20_000_000;
const START_MS = 60_000;
/** After `kill -9` of a server its children let go of the data within a second or two. */
const DYING_TRIES = 60;
const STILL_DYING = /lock file .* already exists|pre-existing shared memory block|already in use/i;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Makes the data folder. It is made aside and renamed: a killed first start leaves a folder that is never looked at,
 * and of several first starts one wins.
 */
export function initialise(files: ServerFiles, identity: Identity, durable: boolean): void {
  removeAbandoned(files);
  const fresh = `${files.data}.new-${process.pid}`;
  const { file, parameters } = identity.command(join(files.binaries, 'initdb'), [
    '-D',
    fresh,
    `--username=${EMBEDDED_USER}`,
    '--auth=trust',
    '--encoding=UTF8',
    // The server's own locale: machines differ in which ones the system has.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    ...(durable ? [] : ['--no-sync']),
  ]);
  const made = spawnSync(file, parameters, {
    ...identity.spawn,
    cwd: files.folder,
    env: environment(files),
    encoding: 'utf8',
  });
  if (made.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    const reason = made.error?.message ?? `${made.stdout}\n${made.stderr}`;
    throw new Error(`The embedded database cannot be created in ${files.folder}: ${lastLines(reason)}`);
  }
  try {
    renameSync(fresh, files.data);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(files.data)) throw error;
  }
}

/** Starts the server and waits until `isReady` says so. It outlives this process on purpose. */
export async function launch(
  files: ServerFiles,
  identity: Identity,
  settings: Readonly<Record<string, string>>,
  isReady: () => Promise<boolean>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const tail = await launchOnce(files, identity, settings, isReady);
    if (tail === undefined) return;
    if (attempt >= DYING_TRIES || !STILL_DYING.test(tail)) throw startError(files, tail);
    await sleep(250);
  }
}

/** The server's process id as it wrote it into its data folder. */
export function readServerPid(files: ServerFiles): number | undefined {
  try {
    const pid = Number(readFileSync(join(files.data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when the server is ready, else what it said before it ended. */
async function launchOnce(
  files: ServerFiles,
  identity: Identity,
  settings: Readonly<Record<string, string>>,
  isReady: () => Promise<boolean>,
): Promise<string | undefined> {
  if (existsSync(files.log) && statSync(files.log).size > LOG_MAX_BYTES) truncateSync(files.log);
  const log = openSync(files.log, 'a', 0o600);
  const from = statSync(files.log).size;
  const { file, parameters } = identity.command(join(files.binaries, 'postgres'), [
    '-D',
    files.data,
    '-p',
    String(EMBEDDED_PORT),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const end: { reason?: string } = {};
  const server = spawn(file, parameters, {
    ...identity.spawn,
    cwd: files.folder,
    env: environment(files),
    stdio: ['ignore', log, log],
    detached: true,
  });
  server.once('error', (error) => (end.reason = error.message));
  server.once('exit', (code, signal) => (end.reason = `It ended with ${code ?? signal ?? 'no reason'}.`));
  server.unref();
  closeSync(log);
  for (let waited = 0; waited < START_MS && end.reason === undefined; waited += 25) {
    if (await isReady()) return undefined;
    await sleep(25);
  }
  const said = readFileSync(files.log).subarray(from).toString('utf8');
  if (end.reason === undefined) server.kill('SIGQUIT');
  return `${said}\n${end.reason ?? 'It did not accept connections in time.'}`;
}

function environment(files: ServerFiles): NodeJS.ProcessEnv {
  return { PATH, LC_ALL: 'C', TZ: 'UTC', HOME: files.folder };
}

function removeAbandoned(files: ServerFiles): void {
  for (const name of readdirSync(files.folder)) {
    const pid = /^data\.new-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(files.folder, name), { recursive: true, force: true });
  }
}

function startError(files: ServerFiles, tail: string): Error {
  if (STILL_DYING.test(tail)) {
    return new Error(
      `The data folder ${files.data} is in use by another PostgreSQL (process ${readServerPid(files) ?? 'unknown'}) ` +
        'that this process cannot reach. Stop it, or use another data folder.',
    );
  }
  if (/database files are incompatible with server/i.test(tail)) {
    return new Error(
      `The data folder ${files.data} was made by another major version of PostgreSQL. Dump it with that version and ` +
        'restore it, or use another data folder.',
    );
  }
  return new Error(`The embedded database did not start (log: ${files.log}): ${lastLines(tail)}`);
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-6).join('\n').slice(-1_500);
}
