import assert from 'node:assert/strict';
import { canBecome, isFinished, JOB_STATUSES, JobsService, type JobId } from '../../../src/domain/jobs/index.ts';
import type { Db, Tx } from '../../../src/db/database.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { PageCursors } from '../../../src/kernel/page-cursor.ts';
import { testDatabase } from '../../support/boot.ts';

const POLICIES = {
  dataset_run: { attempts: 4, timeoutSeconds: 60, retentionDays: 30 },
  eval_run: { attempts: 2, timeoutSeconds: 60, retentionDays: 1 },
};

function hasCode(code: string) {
  return (error: unknown) => error instanceof AppError && error.code === code;
}

describe('JobsService', () => {
  let db: Db;
  let jobs: JobsService;
  const sent: { id: JobId; delayMs: number }[] = [];
  const delivery = {
    send: async (_tx: Tx, ids: readonly JobId[], delayMs = 0) => {
      for (const id of ids) sent.push({ id, delayMs });
    },
  };
  const makeProject = async (): Promise<string> => {
    const id = newId();
    await db.raw('insert into projects (id, name, slug) values (?, ?, ?)', [id, 'A project', `p-${id}`]);
    return id;
  };

  before(async () => {
    db = await testDatabase();
    jobs = new JobsService({ db, delivery, policies: POLICIES, cursors: new PageCursors('a secret') });
  });

  it('enqueues a job and sends its message in the caller’s transaction', async () => {
    const projectId = await makeProject();
    const job = await db.transaction((tx) =>
      jobs.enqueue(tx, {
        projectId,
        kind: 'dataset_run',
        subjectId: 'a dataset',
        payload: { step: 'land', tags: [] },
        accountId: 'an account',
        delayMs: 5_000,
      }),
    );
    assert.deepEqual(sent.at(-1), { id: job.id, delayMs: 5_000 });
    const { createdAt, updatedAt, ...stored } = await jobs.get(projectId, 'dataset_run', 'a dataset');
    assert.deepEqual(stored, {
      id: job.id,
      projectId,
      kind: 'dataset_run',
      subjectId: 'a dataset',
      accountId: 'an account',
      payload: { step: 'land', tags: [] },
      status: 'queued',
      attempt: 0,
      maxAttempts: 4,
    });
    assert.deepEqual(await jobs.describe(projectId, 'dataset_run', 'a dataset'), {
      jobId: job.id,
      kind: 'dataset_run',
      subjectId: 'a dataset',
      status: 'queued',
      attempts: 0,
      maxAttempts: 4,
      createdAt,
      updatedAt,
    });
  });

  it('refuses a kind nobody declared', async () => {
    const projectId = await makeProject();
    await assert.rejects(
      db.transaction((tx) => jobs.enqueue(tx, { projectId, kind: 'unknown', subjectId: 'x', payload: {} })),
      /No job kind is declared/,
    );
  });

  it('answers a job of another project as one that does not exist', async () => {
    const projectId = await makeProject();
    const other = await makeProject();
    await db.transaction((tx) => jobs.enqueue(tx, { projectId, kind: 'eval_run', subjectId: 'mine', payload: {} }));
    await assert.rejects(jobs.get(other, 'eval_run', 'mine'), hasCode('resource_not_found'));
    await assert.rejects(jobs.get(projectId, 'dataset_run', 'mine'), hasCode('resource_not_found'));
    assert.equal(await jobs.find(other, 'eval_run', 'mine'), undefined);
    assert.deepEqual((await jobs.list(other, { limit: 10 })).jobs, []);
  });

  it('gives the newest job of a subject, and the oldest that has not ended', async () => {
    const projectId = await makeProject();
    const request = { projectId, kind: 'eval_run', subjectId: 'again', payload: {} };
    const first = await db.transaction((tx) => jobs.enqueue(tx, request));
    const second = await db.transaction((tx) => jobs.enqueue(tx, request));
    assert.equal((await jobs.get(projectId, 'eval_run', 'again')).id, second.id);
    assert.equal((await jobs.findUnfinished(projectId, 'eval_run', 'again'))?.id, first.id);
    await db.raw(`update jobs set status = 'succeeded', finished_at = now() where id = ?`, [first.id]);
    assert.equal((await jobs.findUnfinished(projectId, 'eval_run', 'again'))?.id, second.id);
  });

  it('pages newest first through jobs of one instant, each once, and ends', async () => {
    const projectId = await makeProject();
    const made: string[] = [];
    await db.transaction(async (tx) => {
      for (let index = 0; index < 5; index += 1) {
        const kind = index === 2 ? 'eval_run' : 'dataset_run';
        made.push((await jobs.enqueue(tx, { projectId, kind, subjectId: `s${index}`, payload: {} })).id);
      }
    });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await jobs.list(projectId, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.jobs.map((job) => job.id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    assert.deepEqual(seen, made.toReversed());
    const evaluations = await jobs.list(projectId, { kind: 'eval_run', statuses: ['queued'], limit: 100 });
    assert.deepEqual(
      evaluations.jobs.map((job) => job.id),
      [made[2]],
    );
  });

  it('refuses a cursor of another query or project', async () => {
    const projectId = await makeProject();
    const other = await makeProject();
    await db.transaction(async (tx) => {
      for (const subjectId of ['a', 'b'])
        await jobs.enqueue(tx, { projectId, kind: 'eval_run', subjectId, payload: {} });
    });
    const { nextCursor = '' } = await jobs.list(projectId, { limit: 1 });
    await assert.rejects(jobs.list(other, { limit: 1, cursor: nextCursor }), hasCode('invalid_filter'));
    await assert.rejects(
      jobs.list(projectId, { kind: 'eval_run', limit: 1, cursor: nextCursor }),
      hasCode('invalid_filter'),
    );
    await jobs.list(projectId, { limit: 100, cursor: nextCursor });
  });

  it('forgets finished jobs past the retention of their kind only', async () => {
    const projectId = await makeProject();
    const end = async (kind: string, subjectId: string, daysAgo: number): Promise<void> => {
      const job = await db.transaction((tx) => jobs.enqueue(tx, { projectId, kind, subjectId, payload: {} }));
      await db.raw(`update jobs set status = 'succeeded', finished_at = now() - ? * interval '1 day' where id = ?`, [
        daysAgo,
        job.id,
      ]);
    };
    await end('eval_run', 'old', 2);
    await end('eval_run', 'new', 0.5);
    await end('dataset_run', 'kept longer', 2);
    assert.equal(await jobs.sweepFinished(), 1);
    const left = await jobs.list(projectId, { limit: 10 });
    assert.deepEqual(left.jobs.map((job) => job.subjectId).sort(), ['kept longer', 'new']);
  });
});

describe('job statuses', () => {
  const MOVES = ['queued→running', 'queued→failed', 'running→queued', 'running→succeeded', 'running→failed'];

  it('allow exactly the moves of the table', () => {
    const allowed = JOB_STATUSES.flatMap((from) =>
      JOB_STATUSES.filter((to) => canBecome(from, to)).map((to) => `${from}→${to}`),
    );
    assert.deepEqual(allowed, MOVES);
    assert.deepEqual(JOB_STATUSES.filter(isFinished), ['succeeded', 'failed']);
  });
});
