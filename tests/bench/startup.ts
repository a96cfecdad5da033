import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import type { Usage } from './control.ts';

const preload = new URL('servers/report-usage.mjs', import.meta.url).href;

/** CPU seconds of the compiled server from process start until /readyz is green, on a store that is already migrated. */
export async function measureStart(dataDir: string): Promise<number> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', preload, 'dist/src/app/main.js', 'serve'], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    for (
      let tries = 0;
      !(await fetch(`http://127.0.0.1:${String(port)}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ));
      tries += 1
    ) {
      if (tries > 1500) throw new Error('the server was not ready within 30 s');
      await wait(20);
    }
    const { cpuUs } = await new Promise<Usage>((resolve) => {
      child.once('message', (message) => resolve((message as { usage: Usage }).usage));
      child.send({ ask: 'usage' });
    });
    return cpuUs / 1e6;
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
}
