import { AppError } from '../kernel/errors.ts';
import { SECOND_MS } from '../kernel/duration.ts';
import { LostLease, type JobError } from '../domain/jobs/index.ts';

/** The worker is stopping: the job goes back, untouched by the attempt. */
export class WorkerStopping extends Error {}

export class JobTimedOut extends Error {
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super('The job ran longer than it may.');
    this.timeoutMs = timeoutMs;
  }
}

export type Outcome =
  | { readonly kind: 'lost' }
  | { readonly kind: 'hand_back' }
  | { readonly kind: 'retry' | 'fail'; readonly error: JobError };

/** What becomes of a job whose handler threw. The reason its signal was aborted with says more than what it threw then. */
export function judge(thrown: unknown, aborted: unknown, isRetryable: (code: string) => boolean): Outcome {
  if (thrown instanceof LostLease || aborted instanceof LostLease) return { kind: 'lost' };
  if (aborted instanceof WorkerStopping) return { kind: 'hand_back' };
  if (aborted instanceof JobTimedOut) {
    const seconds = Math.round(aborted.timeoutMs / SECOND_MS);
    return {
      kind: 'retry',
      error: { code: 'unavailable', message: `The job ran longer than its ${seconds} seconds.` },
    };
  }
  if (thrown instanceof AppError) {
    const error = { code: thrown.code, message: thrown.message.slice(0, MESSAGE_MAX) };
    return { kind: isRetryable(thrown.code) ? 'retry' : 'fail', error };
  }
  return { kind: 'retry', error: UNEXPECTED };
}

/** What `get_job` has room for. */
const MESSAGE_MAX = 1_000;

/** A fault of ours; its words stay in the log. */
const UNEXPECTED: JobError = { code: 'internal_error', message: 'The job met an unexpected fault.' };

export const WORKER_LOST: JobError = {
  code: 'unavailable',
  message: 'The worker stopped in the middle of the job each time it was tried, and no attempt is left.',
};
