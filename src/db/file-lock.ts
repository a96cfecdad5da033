import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { sleep } from '../kernel/duration.ts';
import type { Clock } from '../kernel/clock.ts';

export interface FileLockOptions {
  readonly clock: Clock;
  readonly waitMs: number;
  /** A holder that keeps the lock longer than this is taken for dead even if its process id lives on in another program. */
  readonly staleAfterMs: number;
  readonly pollMs?: number;
}

/**
 * Runs the work while this process holds the file. A lock left by a killed process is broken. Two waiters that break
 * the same dead lock at the same instant may both enter, so the work must stay correct, if slower, without the lock.
 */
export async function withFileLock<T>(path: string, options: FileLockOptions, work: () => Promise<T>): Promise<T> {
  const { clock, waitMs, pollMs = 25 } = options;
  const giveUpAt = clock.now().getTime() + waitMs;
  while (!tryCreate(path)) {
    const holder = readHolder(path);
    if (holder === undefined || isDead(path, holder, options)) {
      rmSync(path, { force: true });
    } else if (clock.now().getTime() > giveUpAt) {
      throw new Error(`Process ${holder} has held ${path} for too long; end it, or remove the file if it is gone.`);
    } else {
      await sleep(pollMs);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ours to signal means that it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function tryCreate(path: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The holder's process id; undefined when the lock vanished, or when its maker died before writing to it. */
function readHolder(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    if (pid > 0) return pid;
    // Created and not yet written: a living maker writes within microseconds.
    return statSync(path).size === 0 ? process.pid : undefined;
  } catch {
    return undefined;
  }
}

function isDead(path: string, holder: number, { clock, staleAfterMs }: FileLockOptions): boolean {
  if (!isAlive(holder)) return true;
  try {
    return clock.now().getTime() - statSync(path).mtimeMs > staleAfterMs;
  } catch {
    return true;
  }
}
