import type { Db, Tx } from '../db/database.ts';
import { JobLeaseRepository, type ClaimedJob, type JobRun } from '../domain/jobs/index.ts';

export interface FenceParts {
  readonly db: Db;
  readonly job: ClaimedJob;
  readonly leaseMs: number;
  readonly signal: AbortSignal;
}

/** What stands between a handler and the database: nothing of an attempt that lost its job gets through. */
export class Fence {
  readonly #db: Db;
  readonly #leases: JobLeaseRepository;
  readonly #job: ClaimedJob;
  readonly #leaseMs: number;
  readonly run: JobRun;
  #ended = false;

  constructor({ db, job, leaseMs, signal }: FenceParts) {
    this.#db = db;
    this.#leases = new JobLeaseRepository(db);
    this.#job = job;
    this.#leaseMs = leaseMs;
    this.run = {
      jobId: job.id,
      projectId: job.projectId,
      kind: job.kind,
      subjectId: job.subjectId,
      attempt: job.attempt,
      maxAttempts: job.maxAttempts,
      signal,
      progress: (progress) => this.#leases.progress(job, progress),
      commit: (work) => this.#transact(work, (leases) => leases.hold(job, leaseMs)),
      complete: async (work) => {
        const result = await this.#transact(work, (leases) => leases.succeed(job));
        this.#ended = true;
        return result;
      },
    };
  }

  /** Ends the job as succeeded, unless the handler's `complete` did. */
  async succeed(): Promise<void> {
    if (!this.#ended) await this.#leases.succeed(this.#job);
  }

  /** True once the job has ended; whatever the handler does after that does not count. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  async #transact<T>(work: (tx: Tx) => Promise<T>, prove: (leases: JobLeaseRepository) => Promise<void>): Promise<T> {
    return this.#db.transaction(async (tx) => {
      const leases = this.#leases.in(tx);
      await leases.boundTransaction(tx, this.#leaseMs);
      const result = await work(tx);
      await prove(leases);
      return result;
    });
  }
}
