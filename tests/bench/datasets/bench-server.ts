import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.ts';
import { BenchCaller, type BenchProject } from './bench-caller.ts';

export interface BenchServerOptions {
  /** The compiled server. */
  readonly server: string;
  /** Emptied first. */
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A real server with a worker inside, in a process of its own; calls go to its first project. */
export class BenchServer extends BenchCaller {
  readonly #child: ChildProcess;
  readonly #command: (...args: readonly string[]) => Promise<Readonly<Record<string, string>>>;

  private constructor(
    child: ChildProcess,
    project: BenchProject,
    command: (...args: readonly string[]) => Promise<Readonly<Record<string, string>>>,
  ) {
    super(project);
    this.#child = child;
    this.#command = command;
  }

  static async start({ server, dataDir, databaseUrl, environment }: BenchServerOptions): Promise<BenchServer> {
    rmSync(dataDir, { recursive: true, force: true });
    mkdirSync(dataDir, { recursive: true });
    const port = await freePort();
    const env = {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'error',
      RATE_LIMIT_REQUESTS: '0',
      DATABASE_URL: databaseUrl ?? '',
      ...environment,
    };
    const child = spawn(process.execPath, [server, 'serve'], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const origin = `http://127.0.0.1:${port}`;
    for (let tries = 0; !(await isReady(origin)); tries += 1) {
      if (child.exitCode !== null || tries > 1_200) throw new Error('the server did not become ready');
      await wait(50);
    }
    // because the server wrote this file at its first start
    const first = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as {
      key: string;
      project_id: string;
    };
    return new BenchServer(child, { origin, key: first.key, projectId: first.project_id }, async (...args) => {
      const { stdout } = await promisify(execFile)(process.execPath, [server, ...args, '--json'], { env });
      // because a command with --json prints one value
      return JSON.parse(stdout) as Record<string, string>;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** A further project, which sees nothing of the first. */
  async addProject(name: string): Promise<BenchCaller> {
    const { id = '' } = await this.#command('project', 'create', name);
    const { key = '' } = await this.#command('key', 'create', name, '--project', id);
    return new BenchCaller({ origin: this.origin, key, projectId: id });
  }

  async stop(): Promise<void> {
    if (!this.isAlive) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }
}

async function isReady(origin: string): Promise<boolean> {
  return fetch(`${origin}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
