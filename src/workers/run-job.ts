import type { Db } from '../db/database.ts';
import { AppError } from '../kernel/errors.ts';
import {
  JobLeaseRepository,
  LostLease,
  type ClaimedJob,
  type JobError,
  type JobFailureHooks,
  type JobRun,
} from '../domain/jobs/index.ts';
import { monotonicMs } from '../kernel/clock.ts';
import { MINUTE_MS, SECOND_MS, sleep } from '../kernel/duration.ts';
import type { Logger } from '../kernel/logger.ts';
import { backoffMs, retry } from '../kernel/retry.ts';
import type { Delivery } from './delivery.ts';
import { Fence } from './fence.ts';
import { JobTimedOut, judge, type Outcome } from './outcome.ts';

export type JobHandler = (payload: unknown, run: JobRun) => Promise<void>;

export interface RunJobParts {
  readonly job: ClaimedJob;
  readonly db: Db;
  readonly delivery: Delivery;
  readonly handler: JobHandler;
  /** 0 for no limit. */
  readonly timeoutMs: number;
  readonly onFailed: JobFailureHooks[string] | undefined;
  readonly isRetryable: (code: string) => boolean;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly retryBaseMs: number;
}

export interface RunningJob {
  readonly job: ClaimedJob;
  /** Fulfils when the attempt is over and written down; never rejects. */
  readonly done: Promise<void>;
  abort(reason: Error): void;
  /** Gives the job up for another worker although its handler still runs; the fence keeps that one out. */
  handBack(): Promise<void>;
}

const RETRY_MAX_MS = 5 * MINUTE_MS;
/** A handler that ignores its signal for this long is left to itself, so that it does not keep a place for ever. */
const IGNORED_MS = 30 * SECOND_MS;

/** Runs one attempt from claim to outcome. */
export function runJob(parts: RunJobParts): RunningJob {
  const controller = new AbortController();
  const attempt = new Attempt(parts, controller);
  return {
    job: parts.job,
    done: attempt.run(),
    abort: (reason) => controller.abort(reason),
    handBack: () => attempt.settle({ kind: 'hand_back' }),
  };
}

class Attempt {
  readonly #parts: RunJobParts;
  readonly #controller: AbortController;
  readonly #fence: Fence;

  constructor(parts: RunJobParts, controller: AbortController) {
    this.#parts = parts;
    this.#controller = controller;
    const { db, job, leaseMs } = parts;
    this.#fence = new Fence({ db, job, leaseMs, signal: controller.signal });
  }

  async run(): Promise<void> {
    const { job, logger, timeoutMs } = this.#parts;
    const startedAt = monotonicMs();
    const timer =
      timeoutMs > 0 ? setTimeout(() => this.#controller.abort(new JobTimedOut(timeoutMs)), timeoutMs) : undefined;
    logger.info('job starts', { subject: job.subjectId });
    let outcome: Outcome | undefined;
    try {
      await this.#handle();
      await this.#write(() => this.#fence.succeed());
    } catch (error) {
      outcome = this.#judge(error);
    } finally {
      clearTimeout(timer);
    }
    if (outcome !== undefined) await this.settle(outcome);
    logger.info('job attempt ends', {
      outcome: outcome?.kind ?? 'succeeded',
      ms: Math.round(monotonicMs() - startedAt),
    });
  }

  /** Writes down what becomes of the job. What cannot be written is left to the sweep of the lapsed lease. */
  async settle(outcome: Outcome): Promise<void> {
    const { logger } = this.#parts;
    if (outcome.kind === 'lost' || this.#fence.hasEnded) return;
    try {
      await this.#write(() => this.#apply(outcome));
    } catch (error) {
      if (!(error instanceof LostLease)) logger.warn('job outcome cannot be written', { error });
    }
  }

  async #handle(): Promise<void> {
    const { job, handler } = this.#parts;

    const settled = new AbortController();
    try {
      await Promise.race([handler(job.payload, this.#fence.run), this.#ignored(settled.signal)]);
    } finally {
      settled.abort();
    }
  }

  /** Rejects when the handler has been told to stop and goes on regardless. */
  async #ignored(settled: AbortSignal): Promise<never> {
    const { signal } = this.#controller;
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        for (const either of [signal, settled]) either.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    await sleep(IGNORED_MS, settled);
    throw new Error('The handler went on after its signal was aborted.');
  }

  #judge(error: unknown): Outcome {
    const { isRetryable, logger, job } = this.#parts;
    const { signal } = this.#controller;
    const judged = judge(error, signal.aborted ? signal.reason : undefined, isRetryable);
    if (judged.kind === 'retry' && !(error instanceof AppError) && !signal.aborted) {
      logger.error('job handler fails', { error });
    }
    if (judged.kind === 'retry' && job.attempt >= job.maxAttempts) return { kind: 'fail', error: judged.error };
    return judged;
  }

  async #apply(outcome: Exclude<Outcome, { kind: 'lost' }>): Promise<void> {
    const { db, job, delivery, retryBaseMs } = this.#parts;
    if (outcome.kind === 'fail') return this.#fail(outcome.error);
    await db.transaction(async (tx) => {
      const leases = new JobLeaseRepository(tx);
      if (outcome.kind === 'hand_back') {
        await leases.handBack(job);
        await delivery.send(tx, [job.id]);
      } else {
        const delayMs = backoffMs(job.attempt, { baseMs: retryBaseMs, maxMs: RETRY_MAX_MS });
        await leases.requeue(job, outcome.error, delayMs);
        await delivery.send(tx, [job.id], delayMs);
      }
    });
  }

  async #fail(error: JobError): Promise<void> {
    const { db, job, onFailed } = this.#parts;
    await db.transaction(async (tx) => {
      const failed = await new JobLeaseRepository(tx).fail(job, error);
      await onFailed?.(tx, failed, error);
    });
  }

  /** Repeats through a short outage, for as long as the lease may still be ours. */
  async #write(work: () => Promise<void>): Promise<void> {
    await retry(work, {
      attempts: 5,
      baseMs: this.#parts.leaseMs / 20,
      maxMs: this.#parts.leaseMs / 4,
      isRetryable: (error) => error instanceof AppError && error.code === 'unavailable',
    });
  }
}
