import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';

export interface FirstRun {
  readonly url: string;
  readonly project_id: string;
  readonly key: string;
}

export interface DemoServer extends FirstRun {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Starts the compiled server on an empty folder and a free port, exactly as `make start` does. */
export async function startServer(): Promise<DemoServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'overmind-demo-'));
  const port = await freePort();
  const child = spawn(process.execPath, ['--enable-source-maps', 'dist/src/app/main.js', 'serve'], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let ended: number | undefined;
  const exit = new Promise<void>((resolve) =>
    child.once('exit', (code) => {
      ended = code ?? -1;
      resolve();
    }),
  );
  const origin = `http://127.0.0.1:${String(port)}`;
  for (let tries = 0; ; tries += 1) {
    if (ended !== undefined) throw new Error(`the server ended with ${String(ended)} before it was ready`);
    if (
      await fetch(`${origin}/readyz`).then(
        (response) => response.ok,
        () => false,
      )
    )
      break;
    if (tries > 600) throw new Error('the server was not ready within a minute');
    await wait(100);
  }
  const firstRun = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun;
  return {
    ...firstRun,
    origin,
    async stop() {
      child.kill('SIGTERM');
      await exit;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
