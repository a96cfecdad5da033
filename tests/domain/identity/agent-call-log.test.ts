import assert from 'node:assert/strict';
import { AgentCallLog, type AgentCall } from '../../../src/domain/identity/index.ts';
import type { Db } from '../../../src/db/database.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { emptyDatabase, openHandle, testDatabase } from '../../support/boot.ts';

const call = (requestId: string, change: Partial<AgentCall> = {}): AgentCall => ({
  at: new Date('2026-03-01T12:00:00.000Z'),
  requestId,
  clientIp: '127.0.0.1',
  subject: 'account-1',
  credentialId: 'key-1',
  kind: 'tool',
  name: 'list_projects',
  outcome: 'ok',
  durationMs: 1.5,
  ...change,
});

const createTable = (db: Db) =>
  db.raw(
    'create table agent_calls (id text primary key, at timestamptz, request_id text, client_ip text, account_id text, credential_id text, project_id text, kind text, name text, outcome text, error_code text, duration_ms double precision)',
  );

describe('AgentCallLog', () => {
  it('stores who, what, where, the outcome and how long it took', async () => {
    const db = await testDatabase();
    const log = new AgentCallLog({ db, onTrouble: () => assert.fail('trouble') });
    const requestId = newId();
    log.record(call(requestId, { projectId: 'project-1', outcome: 'invalid_input' }));
    assert.equal(await log.close(1_000), 0);
    const { id, ...row } = await db('agent_calls').where({ request_id: requestId }).first();
    assert.equal(typeof id, 'string');
    assert.deepEqual(row, {
      at: new Date('2026-03-01T12:00:00.000Z'),
      request_id: requestId,
      client_ip: '127.0.0.1',
      account_id: 'account-1',
      credential_id: 'key-1',
      project_id: 'project-1',
      kind: 'tool',
      name: 'list_projects',
      outcome: 'error',
      error_code: 'invalid_input',
      duration_ms: 1.5,
    });
  });

  it('writes every accepted row before close ends, in batches', async () => {
    const db = await testDatabase();
    const log = new AgentCallLog({ db, onTrouble: () => assert.fail('trouble') });
    const requestId = newId();
    for (let index = 0; index < 2_500; index += 1) log.record(call(requestId));
    assert.equal(await log.close(10_000), 0);
    const rows = await db('agent_calls').where({ request_id: requestId }).select('id');
    assert.equal(rows.length, 2_500);
  });

  it('keeps rows through a failing database, and stores each once when it is back', async () => {
    const db = openHandle(await emptyDatabase());
    const log = new AgentCallLog({ db, onTrouble: () => undefined });
    const requestId = newId();
    for (let index = 0; index < 2_010; index += 1) log.record(call(requestId));
    assert.equal(await log.flush(), false);
    assert.equal(log.waiting, 2_010);
    await createTable(db);
    assert.equal(await log.close(10_000), 0);
    assert.equal((await db('agent_calls').select('id')).length, 2_010);
  });

  it('lets calls wait while it is full and refuses those that find no room in time, so that no row is lost', async () => {
    const db = openHandle(await emptyDatabase());
    const troubles: string[] = [];
    const log = new AgentCallLog({ db, onTrouble: ({ what }) => troubles.push(what), roomWaitMs: 50 });
    for (let index = 0; index < 9_999; index += 1) log.record(call('full'));
    assert.equal(log.room(), undefined);
    log.record(call('full'));
    await assert.rejects(async () => log.room(), { code: 'unavailable' });
    await assert.rejects(async () => log.room(), { code: 'unavailable' });
    assert.equal(troubles.filter((what) => what === 'full').length, 1);
    await createTable(db);
    await log.flush();
    assert.equal(log.room(), undefined);
    assert.equal(await log.close(10_000), 0);
    assert.equal((await db('agent_calls').select('id')).length, 10_000);
  });

  it('lets a waiting call go on as soon as there is room', async () => {
    const db = await testDatabase();
    const log = new AgentCallLog({ db, onTrouble: () => undefined, roomWaitMs: 20_000 });
    for (let index = 0; index < 10_000; index += 1) log.record(call(newId()));
    await log.room();
    assert.ok(log.waiting < 10_000);
    assert.equal(await log.close(10_000), 0);
  });

  it('gives up at the deadline and says how many rows are lost', async () => {
    const db = openHandle(await emptyDatabase());
    const log = new AgentCallLog({ db, onTrouble: () => undefined });
    log.record(call(newId()));
    assert.equal(await log.close(100), 1);
  });
});
