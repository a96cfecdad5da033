import type { Db } from '../db/database.ts';
import {
  JobLeaseRepository,
  LostLease,
  type ClaimedJob,
  type JobFailureHooks,
  type JobHandlerMap,
  type JobId,
  type JobPolicies,
} from '../domain/jobs/index.ts';
import { monotonicMs } from '../kernel/clock.ts';
import { SECOND_MS, sleep } from '../kernel/duration.ts';
import { newId } from '../kernel/ids.ts';
import type { Logger } from '../kernel/logger.ts';
import { backoffMs } from '../kernel/retry.ts';
import type { Delivery } from './delivery.ts';
import { WorkerStopping } from './outcome.ts';
import { runJob, type JobHandler, type RunningJob } from './run-job.ts';
import { Sweeper } from './sweeper.ts';

export interface WorkerSettings {
  /** Jobs at once in this process. */
  readonly concurrency: number;
  /** How long a silent worker keeps its jobs. Takeover takes at most this plus one sweep and one poll. */
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly sweepMs: number;
  readonly forgottenAfterMs: number;
  /** The wait before the second attempt; it doubles up to five minutes. */
  readonly retryBaseMs: number;
}

export interface WorkerParts<H> {
  readonly db: Db;
  readonly delivery: Delivery;
  readonly handlers: H & JobHandlerMap<H>;
  readonly policies: JobPolicies;
  readonly onFailed?: JobFailureHooks;
  /** Whether an error code of the contract is worth another attempt. */
  readonly isRetryable: (code: string) => boolean;
  readonly logger: Logger;
  readonly settings?: Partial<WorkerSettings>;
}

const DEFAULTS: WorkerSettings = {
  concurrency: 4,
  leaseMs: 20 * SECOND_MS,
  pollMs: SECOND_MS,
  sweepMs: 5 * SECOND_MS,
  forgottenAfterMs: 25 * SECOND_MS,
  retryBaseMs: 2 * SECOND_MS,
};
const OUTAGE = { baseMs: 500, maxMs: 10_000 };
/** After the abort, how long a stopping worker waits for its handlers to notice. */
const ABORT_MS = 5 * SECOND_MS;
/** How long a job that this worker could not take waits before it is offered again. */
const PASS_ON_MS = SECOND_MS;

/**
 * Takes jobs and runs them, keeps their leases alive, and looks after jobs other workers dropped. Any number of workers
 * in any number of processes share the work; none is special.
 */
export class Worker<H> {
  readonly #parts: WorkerParts<H>;
  readonly #settings: WorkerSettings;
  readonly #handlers: ReadonlyMap<string, JobHandler>;
  readonly #sweeper: Sweeper;
  readonly #leases: JobLeaseRepository;
  readonly #name = newId();
  readonly #stopping = new AbortController();
  readonly #running = new Map<JobId, RunningJob>();
  #wake = new AbortController();
  #loops: Promise<void>[] = [];
  #stopListening: () => void = () => undefined;

  constructor(parts: WorkerParts<H>) {
    this.#parts = parts;
    this.#settings = { ...DEFAULTS, ...parts.settings };
    // because each handler gets the payload that was enqueued for its own kind
    this.#handlers = new Map(Object.entries(parts.handlers) as [string, JobHandler][]);
    this.#leases = new JobLeaseRepository(parts.db);
    this.#sweeper = new Sweeper({
      db: parts.db,
      delivery: parts.delivery,
      onFailed: parts.onFailed ?? {},
      logger: parts.logger,
      forgottenAfterMs: this.#settings.forgottenAfterMs,
    });
  }

  start(): void {
    this.#stopListening = this.#parts.delivery.onSent(() => this.#wake.abort());
    const { leaseMs, sweepMs } = this.#settings;
    this.#loops = [
      this.#loop('take jobs', () => this.#takeJobs()),
      this.#loop('sweep', async () => {
        await this.#sweeper.sweep();
        // Workers that started together drift apart.
        await sleep(sweepMs * (0.75 + Math.random() / 2), this.#stopping.signal);
      }),
      this.#keepLeases(leaseMs / 4),
    ];
  }

  /** Takes no more jobs, lets the running ones finish within the grace, and hands back those that do not. */
  async stop(graceMs = 20 * SECOND_MS): Promise<void> {
    this.#stopListening();
    this.#stopping.abort();
    this.#wake.abort();
    await this.#settled(graceMs);
    for (const job of this.#running.values()) job.abort(new WorkerStopping('The worker is stopping.'));
    await this.#settled(ABORT_MS);
    for (const job of this.#running.values()) await job.handBack();
    this.#running.clear();
    await Promise.all(this.#loops);
  }

  /** The number of jobs in hand. */
  get busy(): number {
    return this.#running.size;
  }

  async #takeJobs(): Promise<void> {
    const { pollMs, concurrency, leaseMs } = this.#settings;
    const free = concurrency - this.#running.size;
    // A fresh one before looking: a message sent while the queue is being read must not be slept over.
    this.#wake = new AbortController();
    const taken = free > 0 ? await this.#claim(free, leaseMs) : { messages: 0, jobs: [] };
    for (const job of taken.jobs) {
      const handler = this.#handlers.get(job.kind);
      if (handler !== undefined) this.#begin(job, handler);
    }
    if (taken.messages < free || free <= 0) await sleep(pollMs, this.#wake.signal);
  }

  /** Messages and leases change hands in one transaction: there is no moment at which a job has neither. */
  async #claim(limit: number, leaseMs: number): Promise<{ messages: number; jobs: readonly ClaimedJob[] }> {
    const { db, delivery } = this.#parts;
    return db.transaction(async (tx) => {
      const ids = await delivery.take(tx, limit);
      if (ids.length === 0) return { messages: 0, jobs: [] };
      const kinds = [...this.#handlers.keys()];
      const leases = this.#leases.in(tx);
      const jobs = await leases.claim(ids, { kinds, worker: this.#name, leaseMs });
      if (jobs.length < ids.length) {
        const claimed = new Set<string>(jobs.map(({ id }) => id));
        const others = ids.filter((id) => !claimed.has(id));
        await delivery.send(tx, await leases.findUnclaimed(others, kinds), PASS_ON_MS);
      }
      return { messages: ids.length, jobs };
    });
  }

  #begin(job: ClaimedJob, handler: JobHandler): void {
    const { db, delivery, policies, onFailed = {}, isRetryable, logger } = this.#parts;
    const running = runJob({
      job,
      db,
      delivery,
      handler,
      timeoutMs: (policies[job.kind]?.timeoutSeconds ?? 0) * SECOND_MS,
      onFailed: onFailed[job.kind],
      isRetryable,
      logger: logger.child({ job: job.id, kind: job.kind, attempt: job.attempt }),
      leaseMs: this.#settings.leaseMs,
      retryBaseMs: this.#settings.retryBaseMs,
    });
    this.#running.set(job.id, running);
    void running.done.then(() => {
      if (this.#running.get(job.id) === running) this.#running.delete(job.id);
      this.#wake.abort();
    });
  }

  /** Runs on while the worker stops, for as long as jobs are in hand. */
  async #keepLeases(everyMs: number): Promise<void> {
    const { leaseMs } = this.#settings;
    let keptAt = monotonicMs();
    while (!this.#stopping.signal.aborted || this.#running.size > 0) {
      const held = [...this.#running.values()];
      const asOf = monotonicMs();
      try {
        await this.#renew(held, leaseMs);
        keptAt = asOf;
      } catch (error) {
        this.#parts.logger.warn('leases cannot be renewed', { error });
        // Nothing is known of the leases any more; they have lapsed for everybody else.
        if (monotonicMs() - keptAt > leaseMs) for (const running of held) running.abort(new LostLease());
      }
      await sleep(Math.min(everyMs, this.#stopping.signal.aborted ? 100 : everyMs));
    }
  }

  async #renew(held: readonly RunningJob[], leaseMs: number): Promise<void> {
    if (held.length === 0) return;
    const kept = await this.#leases.renew(
      held.map((running) => running.job),
      leaseMs,
    );
    for (const running of held) if (!kept.has(running.job.id)) running.abort(new LostLease());
  }

  async #loop(name: string, turn: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted;) {
      try {
        await turn();
        failures = 0;
      } catch (error) {
        failures += 1;
        this.#parts.logger.warn('worker meets an error and goes on', { loop: name, error, failures });
        await sleep(backoffMs(failures, OUTAGE), signal);
      }
    }
  }

  async #settled(ms: number): Promise<void> {
    const end = new AbortController();
    const all = Promise.all([...this.#running.values()].map((running) => running.done)).then(() => end.abort());
    await Promise.race([all, sleep(ms, end.signal)]);
    end.abort();
  }
}
