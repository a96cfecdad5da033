import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { freePort } from '../support/free-port.ts';

export interface Usage {
  readonly cpuUs: number;
  readonly rss: number;
  readonly peakRss: number;
}

export interface Running {
  readonly port: number;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
}

const reply = <T>(child: ChildProcess, question: string, key: string): Promise<T> =>
  new Promise((resolve) => {
    const take = (message: unknown): void => {
      const fields = message as Record<string, T>;
      const value = fields[key];
      if (value === undefined) return;
      child.off('message', take);
      resolve(value);
    };
    child.on('message', take);
    child.send({ ask: question });
  });

const usage = new URL('servers/report-usage.mjs', import.meta.url).href;

/** Starts one compiled server under measure as its own process, on one core when the machine can pin. */
export async function startServer(file: string, env: Readonly<Record<string, string>>): Promise<Running> {
  const port = await freePort();
  const args = ['--import', usage, file];
  const pinned = existsSync('/usr/bin/taskset');
  const child = spawn(pinned ? 'taskset' : process.execPath, pinned ? ['-c', '0', process.execPath, ...args] : args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', LOG_LEVEL: 'error', ...env, PORT: String(port) },
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${String(code)} before it was ready`)));
    child.on('message', (message) => (message as { ready?: true }).ready && resolve());
  });
  return {
    port,
    usage: () => reply<Usage>(child, 'usage', 'usage'),
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners('exit');
        child.once('exit', () => resolve());
        child.disconnect();
        setTimeout(() => child.kill('SIGKILL'), 3000).unref();
      }),
  };
}
