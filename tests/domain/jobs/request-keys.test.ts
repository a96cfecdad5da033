import assert from 'node:assert/strict';
import { inTransaction, type Db } from '../../../src/db/database.ts';
import { RequestKeys } from '../../../src/domain/jobs/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { KeyedRequest, ReplayAnswer } from '../../../src/kernel/replay.ts';
import { testDatabase } from '../../support/boot.ts';

function claimOf(answer: ReplayAnswer) {
  assert.equal(answer.state, 'claimed');
  return answer.claim;
}

describe('RequestKeys', () => {
  let db: Db;
  let keys: RequestKeys;
  const request = (overrides: Partial<KeyedRequest> = {}): KeyedRequest => ({
    subject: 'account',
    projectId: 'project',
    tool: 'create_dataset_from_traces',
    requestKey: 'a-request-key',
    digest: 'digest',
    ...overrides,
  });

  before(async () => {
    db = await testDatabase();
    keys = new RequestKeys(db);
  });

  it('replays the first outcome to the same request', async () => {
    const same = request({ requestKey: newId() });
    await claimOf(await keys.claim(same)).complete({ output: { id: 'x', tags: [] } });
    assert.deepEqual(await keys.claim(same), { state: 'completed', outcome: { output: { id: 'x', tags: [] } } });
    assert.deepEqual(await keys.claim(same), { state: 'completed', outcome: { output: { id: 'x', tags: [] } } });
  });

  it('answers conflict when the arguments differ, while it runs and after', async () => {
    const first = request({ requestKey: newId() });
    const other = { ...first, digest: 'another digest' };
    const claim = claimOf(await keys.claim(first));
    assert.deepEqual(await keys.claim(other), { state: 'conflict' });
    await claim.complete({ output: null });
    assert.deepEqual(await keys.claim(other), { state: 'conflict' });
  });

  it('lets exactly one of many calls at once carry out the request', async () => {
    const same = request({ requestKey: newId() });
    const answers = await Promise.all(Array.from({ length: 12 }, () => keys.claim(same)));
    assert.equal(answers.filter((answer) => answer.state === 'claimed').length, 1);
    assert.equal(answers.filter((answer) => answer.state === 'running').length, 11);
  });

  it('keeps callers, projects and tools apart', async () => {
    const first = request({ requestKey: newId() });
    await claimOf(await keys.claim(first)).complete({ output: 1 });
    for (const other of [
      { ...first, subject: 'somebody else' },
      { ...first, projectId: 'another project' },
      { ...first, projectId: undefined },
      { ...first, tool: 'run_dataset' },
    ]) {
      assert.equal((await keys.claim(other)).state, 'claimed');
    }
  });

  it('frees the key when the request failed', async () => {
    const same = request({ requestKey: newId() });
    await claimOf(await keys.claim(same)).release();
    assert.equal((await keys.claim({ ...same, digest: 'corrected' })).state, 'claimed');
  });

  it('gives the key on when its holder never came back, and ignores what that one says later', async () => {
    const same = request({ requestKey: newId() });
    const lost = claimOf(await keys.claim(same));
    await db.raw(`update request_keys set held_until = now() - interval '1 s' where request_key = ?`, [
      same.requestKey,
    ]);
    const second = claimOf(await keys.claim(same));
    await lost.complete({ output: 'late' });
    await lost.release();
    assert.deepEqual(await keys.claim(same), { state: 'running' });
    await second.complete({ output: 'in time' });
    assert.deepEqual(await keys.claim(same), { state: 'completed', outcome: { output: 'in time' } });
  });

  it('never carries out again what took effect, even when its answer died with the process', async () => {
    const same = request({ requestKey: newId() });
    const first = claimOf(await keys.claim(same));
    await first.run(() => inTransaction(db, (tx) => tx.raw('select 1')));
    assert.deepEqual(await keys.claim(same), { state: 'running' });
    await first.release();
    await lapse(same.requestKey);
    assert.deepEqual(await keys.claim(same), { state: 'answer_lost' });
  });

  it('rolls back the effect of a call whose key another call has taken', async () => {
    const same = request({ requestKey: newId() });
    const slow = claimOf(await keys.claim(same));
    await lapse(same.requestKey);
    claimOf(await keys.claim(same));
    const other = request({ requestKey: newId() });
    const effect = slow.run(() =>
      inTransaction(db, (tx) =>
        tx.raw(
          `insert into request_keys (subject, project_id, operation, request_key, digest, outcome, expires_at)
           values ('effect', '', 'probe', ?, 'd', '{}', now() + interval '1 day')`,
          [other.requestKey],
        ),
      ),
    );
    await assert.rejects(effect, { code: 'unavailable' });
    const { rows } = await db.raw<{ rows: unknown[] }>('select 1 from request_keys where request_key = ?', [
      other.requestKey,
    ]);
    assert.deepEqual(rows, []);
  });

  async function lapse(requestKey: string): Promise<void> {
    await db.raw(`update request_keys set held_until = now() - interval '1 s' where request_key = ?`, [requestKey]);
  }

  it('forgets an outcome after a day, swept up or not', async () => {
    const same = request({ requestKey: newId() });
    await claimOf(await keys.claim(same)).complete({ output: 1 });
    const stored = await db.raw<{ rows: { hours: string }[] }>(
      `select extract(epoch from expires_at - created_at) / 3600 as hours from request_keys where request_key = ?`,
      [same.requestKey],
    );
    assert.equal(Number(stored.rows[0]?.hours), 24);
    await db.raw(`update request_keys set expires_at = now() - interval '1 s' where request_key = ?`, [
      same.requestKey,
    ]);
    const again = claimOf(await keys.claim({ ...same, digest: 'other' }));
    await again.complete({ output: 2 });
    await db.raw(`update request_keys set expires_at = now() - interval '1 s' where request_key = ?`, [
      same.requestKey,
    ]);
    assert.equal(await keys.sweepExpired(), 1);
    assert.equal(await keys.sweepExpired(), 0);
  });
});
