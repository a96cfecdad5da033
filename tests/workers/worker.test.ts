import assert from 'node:assert/strict';
import { LostLease, type JobRun } from '../../src/domain/jobs/index.ts';
import { AppError } from '../../src/kernel/errors.ts';
import type { Worker } from '../../src/workers/worker.ts';
import { eventually } from '../support/eventually.ts';
import { effectsOf, ensureEffects, openBench, startWorker, type Bench } from './support/setup.ts';

const TrueDate = Date;

/** From now on this machine's clock is off by so much. */
function jumpTo(offsetMs: number): void {
  const now = (): number => TrueDate.now() + offsetMs;
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, parts: unknown[]) => new target(...((parts.length === 0 ? [now()] : parts) as [number])), // because it passes on what it is given
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

describe('Worker', () => {
  let bench: Bench;
  const workers: { stop(graceMs?: number): Promise<void> }[] = [];
  const start = async <H>(...[parts]: [Parameters<typeof startWorker<H>>[1]]): Promise<Worker<H>> => {
    const worker = await startWorker<H>(bench, parts);
    workers.push(worker);
    return worker;
  };

  before(async () => {
    bench = await openBench();
    await ensureEffects(bench.db);
  });
  afterEach(async () => {
    globalThis.Date = TrueDate;
    await Promise.all(workers.splice(0).map((worker) => worker.stop(2_000)));
  });
  after(() => bench.delivery.stop());

  it('runs a job with its payload and ends it as succeeded', async () => {
    const seen: unknown[] = [];
    await start({ handlers: { count: async (payload: { n: number }) => void seen.push(payload) } });
    const job = await bench.enqueue({ n: 7 });
    const ended = await eventually(async () => {
      const current = await bench.read(job);
      assert.equal(current.status, 'succeeded');
      return current;
    });
    assert.deepEqual(seen, [{ n: 7 }]);
    assert.equal(ended.attempt, 1);
    assert.ok(ended.finishedAt);
    assert.equal(ended.error, undefined);
  });

  it('never sees a job whose transaction rolled back', async () => {
    const seen: string[] = [];
    await start({ handlers: { count: async (_: unknown, run: JobRun) => void seen.push(run.subjectId) } });
    const { db, jobs, projectId } = bench;
    await assert.rejects(
      db.transaction(async (tx) => {
        await jobs.enqueue(tx, { projectId, kind: 'count', subjectId: 'rolled-back', payload: {} });
        throw new Error('no');
      }),
      /no/,
    );
    const job = await bench.enqueue();
    await eventually(async () => assert.equal((await bench.read(job)).status, 'succeeded'));
    assert.deepEqual(seen, [job.subjectId]);
    assert.equal(await jobs.find(projectId, 'count', 'rolled-back'), undefined);
  });

  it('shows progress while it runs', async () => {
    let finish: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    await start({
      handlers: {
        count: async (_: unknown, run: JobRun) => {
          await run.progress({ stage: 'writing', rows: 3 });
          await gate;
        },
      },
    });
    const job = await bench.enqueue();
    await eventually(async () => assert.deepEqual((await bench.read(job)).progress, { stage: 'writing', rows: 3 }));
    assert.equal((await bench.read(job)).status, 'running');
    finish();
    await eventually(async () => assert.equal((await bench.read(job)).status, 'succeeded'));
  });

  it('tries again after a passing fault and keeps what the caller may read of it', async () => {
    const errors: unknown[] = [];
    await start({
      handlers: {
        count: async (_: unknown, run: JobRun) => {
          errors.push((await bench.jobs.get(run.projectId, run.kind, run.subjectId)).error);
          if (run.attempt === 1) throw new AppError('unavailable', 'The provider is busy.');
          if (run.attempt === 2) throw new Error('select secret from somewhere');
        },
      },
    });
    const job = await bench.enqueue();
    await eventually(async () => assert.equal((await bench.read(job)).status, 'succeeded'));
    assert.deepEqual(errors, [
      undefined,
      { code: 'unavailable', message: 'The provider is busy.' },
      { code: 'internal_error', message: 'The job met an unexpected fault.' },
    ]);
  });

  it('fails at once on an error that trying again cannot mend, and tells the hook in the same transaction', async () => {
    await start({
      handlers: {
        count: async () => {
          throw new AppError('no_traces', 'No trace matches the filter.');
        },
      },
      onFailed: {
        count: async (tx, failed, error) => {
          await tx.raw('insert into effects (job_id, attempt, note) values (?, ?, ?)', [
            failed.id,
            failed.attempt,
            error.code,
          ]);
        },
      },
    });
    const job = await bench.enqueue();
    const ended = await eventually(async () => {
      const current = await bench.read(job);
      assert.equal(current.status, 'failed');
      return current;
    });
    assert.equal(ended.attempt, 1);
    assert.deepEqual(ended.error, { code: 'no_traces', message: 'No trace matches the filter.' });
    assert.deepEqual(await effectsOf(bench.db, [job.id]), [1]);
  });

  it('fails with the last reason when the attempts are used up', async () => {
    await start({
      handlers: {
        count: async () => {
          throw new AppError('unavailable', 'The provider is busy.');
        },
      },
    });
    const job = await bench.enqueue();
    const ended = await eventually(async () => {
      const current = await bench.read(job);
      assert.equal(current.status, 'failed');
      return current;
    });
    assert.equal(ended.attempt, 3);
    assert.deepEqual(ended.error, { code: 'unavailable', message: 'The provider is busy.' });
  });

  it('ends an attempt that outlasts the time of its kind', async () => {
    await start({
      handlers: {
        stubborn: (_: unknown, run: JobRun) =>
          new Promise<void>((_resolve, reject) => {
            run.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
          }),
      },
    });
    const job = await bench.enqueue({}, 'stubborn');
    const ended = await eventually(async () => {
      const current = await bench.read(job);
      assert.equal(current.status, 'failed');
      return current;
    });
    assert.equal(ended.attempt, 2);
    assert.match(ended.error?.message ?? '', /ran longer than its 1 seconds/);
  });

  it('lets an attempt that lost its job change nothing', async () => {
    let lost: unknown;
    await start({
      handlers: {
        count: async (_: unknown, run: JobRun) => {
          if (run.attempt > 1) {
            await run.complete((tx) => tx.raw('insert into effects values (?, ?)', [run.jobId, run.attempt]));
            return;
          }
          // What happens to a process that stands still for too long, seen from the database.
          await bench.db.raw(`update jobs set lease_until = now() - interval '1 s' where id = ?`, [run.jobId]);
          await eventually(async () => {
            const row = await bench.db.raw<{ rows: { attempt: number }[] }>('select attempt from jobs where id = ?', [
              run.jobId,
            ]);
            assert.equal(row.rows[0]?.attempt, 2);
          });
          await run
            .commit((tx) => tx.raw('insert into effects values (?, ?)', [run.jobId, run.attempt]))
            .catch((error: unknown) => (lost = error));
        },
      },
      // Without heartbeats in time the lapsed lease stays lapsed.
      settings: { leaseMs: 4_000, sweepMs: 50, concurrency: 2 },
    });
    const job = await bench.enqueue();
    await eventually(async () => assert.equal((await bench.read(job)).status, 'succeeded'));
    await eventually(() => assert.ok(lost instanceof LostLease, String(lost)));
    await eventually(async () => assert.deepEqual(await effectsOf(bench.db, [job.id]), [1]));
    assert.equal((await bench.read(job)).attempt, 2);
  });

  it('keeps its lease and its attempt while the clock of its machine leaps and goes back', async () => {
    const leaseOf = async (id: string): Promise<unknown> => {
      const { rows } = await bench.db.raw<{ rows: { lease: string }[] }>(
        'select lease_until::text as lease from jobs where id = ?',
        [id],
      );
      return rows[0]?.lease;
    };
    await start({
      handlers: {
        count: async (_: unknown, run: JobRun) => {
          for (const hours of [5, -5]) {
            jumpTo(hours * 3_600_000);
            const before = await leaseOf(run.jobId);
            await eventually(async () => assert.notEqual(await leaseOf(run.jobId), before));
          }
          await run.commit((tx) => tx.raw('insert into effects values (?, ?)', [run.jobId, run.attempt]));
        },
      },
      settings: { leaseMs: 3_000 },
    });
    const job = await bench.enqueue();
    const ended = await eventually(async () => {
      const current = await bench.read(job);
      assert.equal(current.status, 'succeeded');
      return current;
    });
    assert.deepEqual([ended.attempt, ended.error], [1, undefined]);
    assert.deepEqual(await effectsOf(bench.db, [job.id]), [1]);
  });

  it('reads a job without a live lease as queued, before anybody has swept it up', async () => {
    const job = await bench.enqueue();
    await bench.db.raw(
      `update jobs set status = 'running', attempt = 1, worker = 'gone', run_at = now() + interval '1 hour',
         lease_until = clock_timestamp() + interval '1500 ms' where id = ?`,
      [job.id],
    );
    assert.equal((await bench.read(job)).status, 'running');
    await eventually(async () => assert.equal((await bench.read(job)).status, 'queued'));
    const { jobs } = await bench.jobs.list(bench.projectId, { statuses: ['running'], limit: 100 });
    assert.ok(jobs.every((listed) => listed.id !== job.id));
  });

  it('fails a job whose worker fell silent on its last attempt, with a reason', async () => {
    const job = await bench.enqueue();
    await bench.db.raw(
      `update jobs set status = 'running', attempt = 3, worker = 'gone', lease_until = now() - interval '1 s'
       where id = ?`,
      [job.id],
    );
    await start({
      handlers: { count: async () => undefined },
      onFailed: {
        count: async (tx, failed) => {
          await tx.raw('insert into effects (job_id, attempt) values (?, ?)', [failed.id, failed.attempt]);
        },
      },
    });
    await eventually(async () => assert.equal((await bench.read(job)).status, 'failed'));
    const { error, attempt } = await bench.read(job);
    assert.equal(error?.code, 'unavailable');
    assert.match(error.message, /no attempt is left/);
    assert.equal(attempt, 3);
    assert.deepEqual(await effectsOf(bench.db, [job.id]), [1]);
  });

  it('sends a new message for a job whose message was lost', async () => {
    const job = await bench.enqueue();
    await bench.db.raw('delete from pgboss.job where singleton_key = ?', [job.id]);
    await start({ handlers: { count: async () => undefined }, settings: { forgottenAfterMs: 200 } });
    await eventually(async () => assert.equal((await bench.read(job)).status, 'succeeded'));
  });

  it('goes on with a job whose row was locked when its message came', async () => {
    const job = await bench.enqueue();
    const tx = await bench.db.transaction();
    await tx.raw('select from jobs where id = ? for update', [job.id]);
    const waiting = async () => {
      const { rows } = await bench.db.raw<{ rows: { n: number }[] }>(
        `select count(*)::int as n from pgboss.job where singleton_key = ? and start_after <= now()`,
        [job.id],
      );
      return rows[0]?.n;
    };
    assert.equal(await waiting(), 1);
    await start({ handlers: { count: async () => undefined }, settings: { forgottenAfterMs: 600_000 } });
    await eventually(async () => assert.equal(await waiting(), 0));
    await tx.rollback();
    await eventually(async () => assert.equal((await bench.read(job)).status, 'succeeded'));
  });

  it('lets running jobs finish when it stops', async () => {
    let began: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (began = resolve));
    const worker = await start({
      handlers: {
        count: async (_: unknown, run: JobRun) => {
          began();
          // Longer than the lease: stopping keeps it alive.
          await new Promise((resolve) => setTimeout(resolve, 900));
          await run.commit((tx) => tx.raw('insert into effects values (?, ?)', [run.jobId, run.attempt]));
        },
      },
    });
    const job = await bench.enqueue();
    await begun;
    await worker.stop(5_000);
    assert.equal((await bench.read(job)).status, 'succeeded');
    assert.deepEqual(await effectsOf(bench.db, [job.id]), [1]);
  });

  it('hands a job back when the grace is over, without holding the attempt against it', async () => {
    let began: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (began = resolve));
    const worker = await start({
      handlers: {
        count: async (_: unknown, run: JobRun) => {
          began();
          await new Promise((resolve) => run.signal.addEventListener('abort', resolve, { once: true }));
          run.signal.throwIfAborted();
        },
      },
    });
    const job = await bench.enqueue();
    await begun;
    await worker.stop(50);
    const back = await bench.read(job);
    assert.equal(back.status, 'queued');
    assert.equal(back.error, undefined);
    assert.equal(back.maxAttempts - back.attempt, job.maxAttempts);
    await start({ handlers: { count: async () => undefined } });
    await eventually(async () => assert.equal((await bench.read(job)).status, 'succeeded'));
  });

  it('goes on after the server ended every connection', async () => {
    await start({ handlers: { count: async () => undefined } });
    await bench.db.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    const job = await eventually(() => bench.enqueue());
    await eventually(async () => assert.equal((await bench.read(job)).status, 'succeeded'));
  });

  it('leaves a job of a kind it cannot do to a worker that can', async () => {
    await start({ handlers: { other: async () => undefined } });
    const job = await bench.enqueue();
    const sent = async () => {
      const { rows } = await bench.db.raw<{ rows: { n: number }[] }>(
        `select count(*) as n from pgboss.job where data->>'jobId' = ? and start_after > now()`,
        [job.id],
      );
      return rows[0]?.n ?? 0;
    };
    await eventually(async () => assert.ok((await sent()) > 0, 'the message has not been passed on'));
    assert.deepEqual([(await bench.read(job)).status, (await bench.read(job)).attempt], ['queued', 0]);
    await start({ handlers: { count: async () => undefined } });
    const ended = await eventually(async () => {
      const current = await bench.read(job);
      assert.equal(current.status, 'succeeded');
      return current;
    });
    assert.equal(ended.attempt, 1);
  });
});

describe('Delivery', () => {
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.delivery.stop());

  it('runs a scheduled task once for each time, whichever process takes it', async () => {
    const other = await openBench();
    const runs: string[] = [];
    const task = (process: string) => ({
      name: 'test-sweep',
      cron: '0 3 * * *',
      run: async () => void runs.push(process),
    });
    await bench.delivery.schedule(task('one'));
    await other.delivery.schedule(task('two'));
    await bench.delivery.trigger('test-sweep');
    await eventually(() => assert.equal(runs.length, 1));
    const schedules = await bench.db.raw<{ rows: { cron: string; timezone: string }[] }>(
      `select cron, timezone from pgboss.schedule where name = 'task-test-sweep'`,
    );
    assert.deepEqual(schedules.rows, [{ cron: '0 3 * * *', timezone: 'UTC' }]);
    await other.delivery.stop();
  });
});
