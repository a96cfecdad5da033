import type { Db } from '../db/database.ts';
import { JobLeaseRepository, type JobFailureHooks } from '../domain/jobs/index.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Delivery } from './delivery.ts';
import { WORKER_LOST } from './outcome.ts';

export interface SweeperParts {
  readonly db: Db;
  readonly delivery: Delivery;
  readonly onFailed: JobFailureHooks;
  readonly logger: Logger;
  /** A due job nobody took for this long gets a new message. */
  readonly forgottenAfterMs: number;
}

const BATCH = 500;

/** Finds jobs nobody looks after: their worker fell silent, or their message was lost. Any number may run at once. */
export class Sweeper {
  readonly #parts: SweeperParts;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
  }

  async sweep(): Promise<void> {
    await this.#resend();
    await this.#endExhausted();
  }

  async #resend(): Promise<void> {
    const { db, delivery, logger, forgottenAfterMs } = this.#parts;
    const { released, forgotten } = await db.transaction(async (tx) => {
      const leases = new JobLeaseRepository(tx);
      const released = await leases.releaseLapsed(BATCH);
      const forgotten = await leases.markForgotten(forgottenAfterMs, BATCH);
      await delivery.send(tx, [...released, ...forgotten]);
      return { released, forgotten };
    });
    if (released.length > 0) logger.warn('jobs released from silent workers', { jobs: released });
    if (forgotten.length > 0) logger.info('jobs sent again', { count: forgotten.length });
  }

  /** One transaction each: a hook that fails holds up its own job only. */
  async #endExhausted(): Promise<void> {
    const { db, logger, onFailed } = this.#parts;
    for (const id of await new JobLeaseRepository(db).findExhausted(BATCH)) {
      try {
        await db.transaction(async (tx) => {
          const job = await new JobLeaseRepository(tx).failExhausted(id, WORKER_LOST);
          if (job === undefined) return;
          await onFailed[job.kind]?.(tx, job, WORKER_LOST);
          logger.warn('job failed: its workers fell silent', { job: id, kind: job.kind, attempts: job.attempt });
        });
      } catch (error) {
        logger.error('job cannot be ended', { job: id, error });
      }
    }
  }
}
