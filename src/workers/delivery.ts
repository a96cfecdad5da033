import { fromKnex, PgBoss, type ConstructorOptions, type Db as BossDb } from 'pg-boss';
import { withAdvisoryLock } from '../db/advisory-lock.ts';
import { clientConfig, type DatabaseAddress } from '../db/connect.ts';
import { afterCommit, type Db, type Tx } from '../db/database.ts';
import type { JobDelivery, JobId } from '../domain/jobs/index.ts';
import type { Logger } from '../kernel/logger.ts';

export interface DeliveryParts {
  readonly address: DatabaseAddress;
  readonly logger: Logger;
  /** True in processes that work: they also look after the message tables and keep the schedule. */
  readonly maintain: boolean;
}

export interface ScheduledTask {
  readonly name: string;
  /** Five fields, UTC. */
  readonly cron: string;
  run(signal: AbortSignal): Promise<void>;
}

const SCHEMA = 'pgboss';
const QUEUE = 'jobs';
const INSTALL_LOCK = 7_301_884_207;
/** Its own few connections: it works beside open transactions of ours and must never wait for them. */
const POOL_MAX = 2;
const STOP_MS = 10_000;
/** Upkeep of the message tables may take a while. */
const STATEMENT_MS = 300_000;

/** Makes the message tables and the queue; safe in several processes at once. Part of bringing the schema up to date. */
export async function installDelivery(db: Db, address: DatabaseAddress, logger: Logger): Promise<void> {
  await withAdvisoryLock(db, INSTALL_LOCK, async () => {
    const boss = makeBoss({ address, logger, maintain: false }, { migrate: true });
    await boss.start();
    try {
      // `short` keeps at most one waiting message per job, so a repeated message costs nothing. Messages are never
      // retried by the queue: a job that must run again gets a new one.
      await boss.createQueue(QUEUE, { policy: 'short', retryLimit: 0 });
    } finally {
      await boss.stop({ graceful: false, timeout: STOP_MS });
    }
  });
}

/** Messages that a job is due, carried by pg-boss. Sent and taken inside our transactions. */
export class Delivery implements JobDelivery {
  readonly #boss: PgBoss;
  readonly #logger: Logger;
  readonly #listeners = new Set<() => void>();

  constructor(parts: DeliveryParts) {
    this.#boss = makeBoss(parts, {});
    this.#logger = parts.logger;
  }

  async start(): Promise<void> {
    await this.#boss.start();
    // Known before the first transaction, so that none of them has to wait for a second connection to look it up.
    if ((await this.#boss.getQueue(QUEUE)) === null) throw new Error('The job queue is missing; run the migrations.');
  }

  async stop(): Promise<void> {
    await this.#boss.stop({ timeout: STOP_MS });
  }

  async send(tx: Tx, jobIds: readonly JobId[], delayMs = 0): Promise<void> {
    if (jobIds.length === 0) return;
    const messages = jobIds.map((id) => ({
      data: { jobId: id },
      singletonKey: id,
      ...(delayMs > 0 ? { startAfter: delayMs / 1_000 } : {}),
    }));
    await this.#boss.insert(QUEUE, messages, { db: over(tx) });
    if (delayMs <= 0) {
      afterCommit(tx, () => {
        for (const listener of this.#listeners) listener();
      });
    }
  }

  /** Takes up to `limit` messages out of the queue for good, unless the transaction rolls back; the jobs they name. */
  async take(tx: Tx, limit: number): Promise<readonly string[]> {
    const db = over(tx);
    const messages = await this.#boss.fetch<{ jobId: string }>(QUEUE, { batchSize: limit, db });
    if (messages.length === 0) return [];
    await this.#boss.deleteJob(
      QUEUE,
      messages.map((message) => message.id),
      { db },
    );
    return messages.map((message) => message.data.jobId);
  }

  /** Calls the listener when this process has sent a message that is due at once; answers how to stop that. */
  onSent(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs the task at its times, each time in one process of all that registered it. */
  async schedule(task: ScheduledTask): Promise<void> {
    const queue = `task-${task.name}`;
    await this.#boss.createQueue(queue, { policy: 'short', retryLimit: 0, expireInSeconds: 3_600 });
    await this.#boss.schedule(queue, task.cron, null, { tz: 'UTC' });
    await this.#boss.work(queue, { pollingIntervalSeconds: 2 }, async ([message]) => {
      if (message === undefined) return;
      try {
        await task.run(message.signal);
      } catch (error) {
        this.#logger.error('scheduled task fails', { task: task.name, error });
      }
    });
  }

  /** Asks for a run of the task besides its times. */
  async trigger(taskName: string): Promise<void> {
    await this.#boss.send(`task-${taskName}`);
  }
}

function makeBoss({ address, logger, maintain }: DeliveryParts, options: ConstructorOptions): PgBoss {
  const { types: _, ...connection } = clientConfig(address, {
    applicationName: 'delivery',
    statementTimeoutMs: STATEMENT_MS,
  });
  const boss = new PgBoss({
    // because pg-boss hands these on to the same driver, and its types have optional properties without undefined
    ...(connection as ConstructorOptions),
    schema: SCHEMA,
    max: POOL_MAX,
    migrate: false,
    supervise: maintain,
    schedule: maintain,
    superviseIntervalSeconds: 60,
    registerInstance: false,
    openTelemetry: { enabled: false },
    ...options,
  });
  // Without a listener an outage of the database would end the process.
  boss.on('error', (error) => logger.warn('delivery fails', { error }));
  boss.on('warning', (warning) => logger.warn('delivery warns', { detail: warning.message }));
  return boss;
}

/** pg-boss's statements on our transaction. */
function over(tx: Tx): BossDb {
  return fromKnex(tx);
}
