import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DatabaseAddress } from '../../src/db/connect.ts';
import { emptyDatabase } from './boot.ts';
import { noteLog } from './canary.ts';
import { eventually } from './eventually.ts';
import { objectSettings } from './lane.ts';
import { noteText } from './watch-fetch.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** `TEST_PROGRAM=dist` runs what was built, which starts in a third of the time; the source needs no build. */
const PROGRAM =
  process.env['TEST_PROGRAM'] === 'dist'
    ? [join(ROOT, 'dist/src/app/main.js')]
    : ['--import', 'tsx', join(ROOT, 'src/app/main.ts')];

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The operator's command in a process of its own, as it is on a machine. */
export class OvermindProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #ended: Promise<unknown>;

  constructor(args: readonly string[], environment: Readonly<Record<string, string>>) {
    const { PATH = '', HOME = '', TMPDIR } = process.env;
    this.child = spawn(process.execPath, [...PROGRAM, ...args], {
      cwd: ROOT,
      env: {
        PATH,
        HOME,
        ...(TMPDIR !== undefined && { TMPDIR }),
        LOG_LEVEL: 'warn',
        ...objectSettings(environment['DATABASE_URL'] ?? environment['DATA_DIR'] ?? ''),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.#ended = once(this.child, 'close');
    void this.#ended.then(() => {
      // What a command answers may hold a new key; what it logs may not.
      noteText(this.stdout);
      noteLog(this.stderr);
    });
  }

  async ended(): Promise<Finished> {
    await this.#ended;
    return { code: this.child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Finished> {
    this.child.kill(signal);
    return this.ended();
  }
}

export interface Ready {
  readonly url: string;
  readonly first_run?: {
    readonly url: string;
    readonly project_id: string;
    readonly key: string;
    readonly setup_url?: string;
  };
}

export interface RunningServer {
  readonly process: OvermindProcess;
  readonly ready: Ready;
  readonly origin: string;
}

/** Runs a command to its end. */
export function overmind(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return new OvermindProcess(args, environment).ended();
}

/** Starts a server on a free port and waits until it says that it is ready. */
export async function serve(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<RunningServer> {
  const started = new OvermindProcess(['serve', '--json', ...args], { PORT: '0', ...environment });
  const ready = await eventually(
    () => {
      assert.equal(started.child.exitCode, null, `the server ended: ${started.stderr}`);
      const line = started.stdout.split('\n').find((text) => text.includes('"ready":true'));
      assert.ok(line !== undefined, `the server is not ready: ${started.stderr}`);
      // because the line is the announcement of `serve --json`
      return JSON.parse(line) as Ready;
    },
    { withinMs: 40_000, everyMs: 50 },
  );
  return { process: started, ready, origin: new URL(ready.url).origin };
}

export function emptyFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'overmind-e2e-'));
}

/** An empty database of the test server, as DATABASE_URL wants it. */
export async function emptyDatabaseUrl(): Promise<string> {
  return urlOf(await emptyDatabase());
}

function urlOf(address: DatabaseAddress): string {
  if ('url' in address) return address.url;
  const host = encodeURIComponent(address.socketFolder);
  return `postgres://${address.user}@localhost:${address.port}/${address.database}?host=${host}`;
}
