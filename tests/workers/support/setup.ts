import type { Db } from '../../../src/db/database.ts';
import { JobsService, type Job } from '../../../src/domain/jobs/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { createLogger, type Logger } from '../../../src/kernel/logger.ts';
import { PageCursors } from '../../../src/kernel/page-cursor.ts';
import { Delivery } from '../../../src/workers/delivery.ts';
import { Worker, type WorkerParts } from '../../../src/workers/worker.ts';
import { openHandle, testAddress, testDatabase } from '../../support/boot.ts';
import { POLICIES } from './policies.ts';

export interface Bench {
  readonly db: Db;
  readonly delivery: Delivery;
  readonly jobs: JobsService;
  readonly projectId: string;
  enqueue(payload?: unknown, kind?: string): Promise<Job>;
  read(job: Job): Promise<Job>;
}

/** A project with a jobs service, as one process sees them. */
export async function openBench(): Promise<Bench> {
  const db = await testDatabase();
  const delivery = new Delivery({ address: await testAddress(), logger: quiet(), maintain: false });
  await delivery.start();
  const jobs = new JobsService({ db, delivery, policies: POLICIES, cursors: new PageCursors('jobs') });
  const projectId = await insertProject(db);
  return {
    db,
    delivery,
    jobs,
    projectId,
    enqueue: (payload = {}, kind = 'count') =>
      db.transaction((tx) => jobs.enqueue(tx, { projectId, kind, subjectId: newId(), payload })),
    read: (job) => jobs.get(job.projectId, job.kind, job.subjectId),
  };
}

export async function insertProject(db: Db): Promise<string> {
  const id = newId();
  await db.raw('insert into projects (id, name, slug) values (?, ?, ?)', [id, `Project ${id}`, `project-${id}`]);
  return id;
}

/** A worker with a short lease and a pool of its own, as another process would have. */
export async function startWorker<H>(
  bench: Bench,
  parts: Pick<WorkerParts<H>, 'handlers'> & Partial<WorkerParts<H>>,
): Promise<Worker<H>> {
  const { settings, ...rest } = parts;
  const worker = new Worker<H>({
    db: openHandle(await testAddress()),
    delivery: bench.delivery,
    policies: POLICIES,
    isRetryable: (code) => code === 'unavailable',
    logger: quiet(),
    settings: { leaseMs: 600, pollMs: 50, sweepMs: 100, retryBaseMs: 20, ...settings },
    ...rest,
  });
  worker.start();
  return worker;
}

/** The effects table of the tests: one row per effect that was let through. */
export async function ensureEffects(db: Db): Promise<void> {
  await db.raw('create table if not exists effects (job_id text not null, attempt integer not null, note text)');
}

export async function effectsOf(db: Db, jobIds: readonly string[]): Promise<number[]> {
  const result = await db.raw<{ rows: { count: number }[] }>(
    `select (select count(*) from effects where job_id = wanted.id) as count
     from unnest(?::text[]) with ordinality as wanted (id, at) order by at`,
    [[...jobIds]],
  );
  return result.rows.map((row) => row.count);
}

export function quiet(): Logger {
  return createLogger({ level: 'silent' });
}
