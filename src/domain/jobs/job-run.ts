import type { Tx } from '../../db/database.ts';
import type { Job, JobError } from './job.ts';

/**
 * One attempt at a job, as its handler sees it. Everything a handler changes goes through `commit` or `complete`: the
 * change and the proof that the attempt still holds the job are one transaction, so a stale attempt changes nothing.
 * A crash between two commits runs the handler again from its start; it looks at what is there and goes on.
 */
export interface JobRun {
  readonly jobId: string;
  readonly projectId: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Aborts when the job is lost to another attempt, when its time is up, and when the worker stops. */
  readonly signal: AbortSignal;
  /** Replaces what `get_job` shows as progress. Not inside `commit`: it uses a connection of its own. */
  progress(progress: Readonly<Record<string, unknown>>): Promise<void>;
  /** Throws `LostLease`, with nothing changed, when another attempt took over. */
  commit<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** `commit` that also ends the job as succeeded, so that its last effect and its end happen together or not at all. */
  complete<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** By kind; what a generated `JobHandlers<JobRun>` is made of. */
export type JobHandlerMap<H> = { readonly [K in keyof H]: (payload: never, run: JobRun) => Promise<void> };

/**
 * Called in the transaction that ends a job as failed, whether its handler gave up or its worker never came back, so
 * that the subject's own state can follow. By kind; a kind without one needs nothing done.
 */
export type JobFailureHooks = Readonly<Record<string, (tx: Tx, job: Job, error: JobError) => Promise<void>>>;
