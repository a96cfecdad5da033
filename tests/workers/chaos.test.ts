import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { JobsService, type JobPolicies } from '../../src/domain/jobs/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { PageCursors } from '../../src/kernel/page-cursor.ts';
import { testAddress } from '../support/boot.ts';
import { ensureEffects, openBench } from './support/setup.ts';

/** `CHAOS_JOBS=1000` makes a long run of it. */
const JOBS = Number(process.env['CHAOS_JOBS'] ?? 60);
const WORKERS = 4;
const LEASE_MS = 800;
const EVERY_MS = 400;
/** Starting a process costs about a second of a core, so kills are fewer than stops. */
const KILLS_MAX = Math.ceil(JOBS / 14);
/** Enough that no job is given up: what is counted here is effects, not patience. */
const PATIENT: JobPolicies = { count: { attempts: 1_000, timeoutSeconds: 30, retentionDays: 1 } };

describe('worker processes that are killed and stopped at random', function () {
  this.timeout(60_000 + JOBS * 500);
  const processes = new Set<ChildProcess>();

  afterEach(() => {
    for (const child of processes) child.kill('SIGKILL');
  });

  it('give every job its effect exactly once', async () => {
    const { db, delivery, projectId } = await openBench();
    await ensureEffects(db);
    const address = await testAddress();
    const jobs = new JobsService({ db, delivery, policies: PATIENT, cursors: new PageCursors('jobs') });
    const startWorker = (): void => {
      const child = spawn(
        process.execPath,
        [
          '--import',
          'tsx',
          join(import.meta.dirname, 'support/chaos-worker.ts'),
          JSON.stringify({ address, leaseMs: LEASE_MS }),
        ],
        { stdio: ['ignore', 'ignore', 'inherit'] },
      );
      processes.add(child);
      child.once('exit', () => processes.delete(child));
    };
    for (let index = 0; index < WORKERS; index += 1) startWorker();
    await db.transaction(async (tx) => {
      for (let index = 0; index < JOBS; index += 1) {
        await jobs.enqueue(tx, { projectId, kind: 'count', subjectId: newId(), payload: { index } });
      }
    });
    const counts = { kills: 0, stops: 0 };
    const unfinished = async (): Promise<number> => {
      const result = await db.raw<{ rows: { left: number }[] }>(
        'select count(*) as left from jobs where project_id = ? and finished_at is null',
        [projectId],
      );
      return result.rows[0]?.left ?? 0;
    };
    while ((await unfinished()) > 0) {
      await wait(EVERY_MS);
      const alive = [...processes];
      const victim = alive[Math.floor(Math.random() * alive.length)];
      if (victim === undefined) continue;
      if (counts.kills < KILLS_MAX && Math.random() < 0.4) {
        victim.kill('SIGKILL');
        counts.kills += 1;
        startWorker();
      } else {
        victim.kill('SIGSTOP');
        counts.stops += 1;
        setTimeout(() => victim.kill('SIGCONT'), LEASE_MS * 1.7);
      }
    }
    // Those that stood still wake up and try to finish what is no longer theirs.
    await wait(LEASE_MS * 2);

    const result = await db.raw<{ rows: { jobs: number; effects: number; succeeded: number; retaken: number }[] }>(
      `select count(distinct jobs.id) as jobs, count(effects.job_id) as effects,
         count(distinct jobs.id) filter (where status = 'succeeded') as succeeded,
         count(distinct jobs.id) filter (where jobs.attempt > 1) as retaken
       from jobs left join effects on effects.job_id = jobs.id where project_id = ?`,
      [projectId],
    );
    const { retaken, ...counted } = result.rows[0] ?? { retaken: 0 };
    assert.deepEqual(counted, { jobs: JOBS, effects: JOBS, succeeded: JOBS });
    assert.ok(
      counts.kills + counts.stops > 0 && retaken > 0,
      `nothing went wrong: ${JSON.stringify({ counts, retaken })}`,
    );
    await delivery.stop();
  });
});
