import { watch } from 'node:fs';
import type { ExitCode, Io } from './io.ts';
import { palette } from './io.ts';
import type { Options } from './options.ts';

/** Editors write a file in several steps; one run answers all of them. */
const SETTLE_MS = 80;

/** Runs a command now and after every change of the contracts, until the process is asked to stop. */
export async function watchTree(options: Options, io: Io, run: () => Promise<ExitCode>): Promise<ExitCode> {
  const { dim } = palette(io.color);
  const timed = async (): Promise<ExitCode> => {
    const start = performance.now();
    const code = await run();
    io.err(`${dim(`In ${((performance.now() - start) / 1000).toFixed(2)} s.`)}\n`);
    return code;
  };
  let last = await timed();
  let running = false;
  let again = false;
  const rerun = async (): Promise<void> => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      last = await timed();
    } while (again);
    running = false;
  };
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const watcher = watch(options.schemas, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => void rerun().catch(reject), SETTLE_MS);
    });
    watcher.on('error', reject);
    io.err(`${dim('Watching for changes; press Ctrl+C to stop.')}\n`);
    io.onStop(() => {
      clearTimeout(timer);
      watcher.close();
      resolve(last);
    });
  });
}
