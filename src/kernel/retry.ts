import { sleep } from './duration.ts';

export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
  /** A number in [0, 1); injected so that a test can fix it. */
  readonly random?: () => number;
}

/** The wait before try `attempt + 1`: doubling, capped, with the upper half left to chance so that callers spread out. */
export function backoffMs(attempt: number, { baseMs, maxMs, random = Math.random }: Backoff): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(attempt - 1, 0), 30));
  return Math.round(full / 2 + (full / 2) * random());
}

export interface RetryOptions extends Backoff {
  readonly attempts: number;
  readonly isRetryable: (error: unknown) => boolean;
  readonly signal?: AbortSignal;
}

/** Runs the work until it succeeds, an error is not worth repeating, the attempts are used up or the signal aborts. */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= options.attempts || !options.isRetryable(error)) throw error;
      await sleep(backoffMs(attempt, options), options.signal);
    }
  }
}
