import assert from 'node:assert/strict';
import type { Db } from '../../src/db/database.ts';
import { exportSpans } from '../domain/observability/support/export.ts';
import { traceId } from '../domain/observability/support/otlp.ts';
import { freshDatabase, openHandle, testAddress, type TestDatabase } from '../support/boot.ts';
import { eventually } from '../support/eventually.ts';
import { given, type World } from '../support/given.ts';
import { startServer, type TestServer } from '../support/mcp.ts';

/** What no answer may show of the statement, the schema or the program. */
const INSIDES =
  /insert into|update |select |\$\d|relation "|column "|constraint|syntax|at \/|\.ts:\d|\.js:\d|SQLSTATE/i;
const STORED = 'stored-beside-it-8f2c';

interface Fault {
  readonly state: string;
  readonly statement: string;
  readonly code: 'internal_error' | 'unavailable';
}

const FAULTS: readonly Fault[] = [
  { state: '22P02', statement: `select '${STORED}'::int`, code: 'internal_error' },
  { state: '23505', statement: `insert into faults values (1, '${STORED}')`, code: 'internal_error' },
  { state: '42P01', statement: `select '${STORED}' from no_such_table`, code: 'internal_error' },
  { state: '57014', statement: 'select pg_cancel_backend(pg_backend_pid()), pg_sleep(20)', code: 'unavailable' },
];

/** From now on whatever is put into the table meets the statement in `faults`, as a broken trigger or a bug would. */
async function breakInserts(db: Db, table: string): Promise<void> {
  await db.raw('create table faults (id integer primary key, statement text not null)');
  await db.raw(`create function meet_fault() returns trigger language plpgsql as $$
    begin execute (select statement from faults); return new; end $$`);
  await db.raw('create trigger meets_fault before insert on ?? for each row execute function meet_fault()', [table]);
}

async function send(world: World, trace = traceId()): Promise<string> {
  await exportSpans(world, [{ trace, name: 'turn' }]);
  return trace;
}

/** The answer to a call, and all of its text. */
async function answerOf(world: World, name: string, args: object) {
  const { status, result, error } = await world.rpc('tools/call', { name, arguments: args });
  const told = error?.data ?? JSON.parse(textOf(result)).error;
  return { status, isError: result?.['isError'], told, text: JSON.stringify([result, error]) };
}

function textOf(result: Readonly<Record<string, unknown>> | undefined): string {
  // because results of tools begin with a text
  const [item] = (result?.['content'] ?? []) as readonly { readonly text: string }[];
  return item?.text ?? '{}';
}

describe('a fault inside the database', () => {
  let database: TestDatabase;
  let world: World;
  before(async () => {
    database = await freshDatabase();
    world = await given.project({ server: await startServer({ database }) });
  });

  for (const { state, statement, code } of FAULTS) {
    it(`reaches nobody as it is: ${state}`, async () => {
      const { db } = database;
      const trace = await send(world);
      await breakInserts(db, 'datasets');
      try {
        await db.raw('insert into faults values (1, ?)', [statement]);
        const args = { name: STORED, trace_ids: [trace] };
        const { isError, told, text } = await answerOf(world, 'create_dataset_from_traces', args);
        assert.deepEqual([isError, told.code, told.retryable], [true, code, true]);
        assert.doesNotMatch(text, INSIDES);
        assert.ok(!text.includes(STORED), text);
      } finally {
        await db.raw('drop table faults');
        await db.raw('drop function meet_fault cascade');
      }
      assert.deepEqual((await world.call('list_datasets', {})).datasets, []);
    });
  }

  it('is as quiet at every other door', async () => {
    const { db } = database;
    const trace = await send(world);
    const { server, key, project } = world;
    const tables = ['traces', 'datasets'];
    for (const table of tables) await db.raw('alter table ?? rename to ??', [table, `${table}_elsewhere`]);
    try {
      const { told, text } = await answerOf(world, 'query_traces', {});
      const read = await world.rpc('resources/read', { uri: `overmind://traces/${trace}` });
      const health = await answerOf(world, 'inspect_capability_health', {});
      const file = await fetch(`${server.origin}/api/v1/projects/${project.id}/datasets/pile/export`, {
        headers: { 'x-api-key': key },
      });
      const ingest = await fetch(`${server.origin}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [spanOf(trace)] }] }] }),
      });
      assert.equal(told.code, 'internal_error');
      assert.equal(read.error?.data?.['code'], 'internal_error');
      assert.deepEqual([file.status, ingest.status], [500, 500]);
      const all = [text, health.text, JSON.stringify(read.error), await file.text(), await ingest.text()];
      for (const shown of all) assert.doesNotMatch(shown, INSIDES);
    } finally {
      for (const table of tables) await db.raw('alter table ?? rename to ??', [`${table}_elsewhere`, table]);
    }
    assert.equal((await world.call('query_traces', { trace_id: trace })).n, 1);
  });
});

function spanOf(trace: string): object {
  return { traceId: trace, spanId: '00000000000000aa', name: 'late', startTimeUnixNano: '1', endTimeUnixNano: '2' };
}

describe('a database that goes away', function () {
  this.timeout(60_000);
  const CALLS = 20;
  const IDLE = 5;
  let database: TestDatabase;
  let server: TestServer;
  let world: World;

  before(async () => {
    database = await freshDatabase();
    const db = openHandle(database.address, { poolMax: CALLS + IDLE });
    server = await startServer({ database: { ...database, db }, processes: 1 });
    world = await given.project({ server });
    await send(world);
    await Promise.all(Array.from({ length: CALLS + IDLE }, async () => db.raw('select pg_sleep(0.1)')));
  });

  const readiness = async (): Promise<number> => (await fetch(`${server.origin}/readyz`)).status;
  const everything =
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = ? and pid <> pg_backend_pid()';
  const nameOf = async (): Promise<string> => {
    const { rows } = await database.db.raw<{ rows: { name: string }[] }>('select current_database() as name');
    return rows[0]?.name ?? '';
  };

  it('under calls answers each of them that it may be tried again, and the next one as ever', async () => {
    const holder = await database.db.transaction();
    await holder.raw('lock table traces in access exclusive mode');
    const calls = Array.from({ length: CALLS }, () => answerOf(world, 'query_traces', {}));
    await eventually(async () => {
      const { rows } = await holder.raw<{ rows: { waiting: number }[] }>(
        `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      assert.equal(rows[0]?.waiting, CALLS);
    });
    await holder.raw(everything, [await eventually(nameOf)]);
    for (const { isError, told, text } of await Promise.all(calls)) {
      assert.deepEqual([isError, told.code, told.retryable], [true, 'unavailable', true]);
      assert.doesNotMatch(text, INSIDES);
    }
    await holder.rollback();
    await eventually(async () => assert.equal((await world.call('query_traces', {})).n, 1));
    await eventually(async () => assert.equal(await readiness(), 200));
  });

  it('turns readiness red and tells callers so, until it is back', async () => {
    const name = await nameOf();
    const admin = openHandle(await testAddress());
    await admin.raw('alter database ?? with allow_connections false', [name]);
    try {
      await admin.raw(everything, [name]);
      await eventually(async () => assert.equal(await readiness(), 503));
      const { told, text } = await answerOf(world, 'query_traces', {});
      assert.deepEqual([told.code, told.retryable], ['unavailable', true]);
      assert.doesNotMatch(text, INSIDES);
      assert.equal((await fetch(`${server.origin}/healthz`)).status, 200);
    } finally {
      await admin.raw('alter database ?? with allow_connections true', [name]);
    }
    await eventually(async () => assert.equal(await readiness(), 200));
    await eventually(async () => assert.equal((await world.call('query_traces', {})).n, 1));
  });
});

describe('a small pool', function () {
  this.timeout(60_000);

  it('carries more changes at once than it has connections', async () => {
    const db = openHandle(await testAddress(), { poolMax: 3, acquireTimeoutMs: 30_000 });
    const world = await given.project({ server: await startServer({ db }) });
    const trace = await send(world);
    const names = Array.from({ length: 10 }, (_, index) => `pile ${index}`);
    const made = await Promise.all(
      names.map((name) => world.call('create_dataset_from_traces', { name, trace_ids: [trace] })),
    );
    assert.equal(new Set(made.map(({ dataset }) => dataset.id)).size, names.length);
    const { datasets } = await world.call('list_datasets', {});
    assert.deepEqual(datasets.map(({ name }) => name).toSorted(), names);
  });

  it('without a free connection says that the call may be tried again', async () => {
    const db = openHandle(await testAddress(), { poolMax: 1, acquireTimeoutMs: 1_000 });
    const world = await given.project({ server: await startServer({ db, processes: 1 }) });
    await world.call('list_datasets', {});
    const only = await db.transaction();
    const { told } = await answerOf(world, 'query_traces', {});
    assert.deepEqual([told.code, told.retryable], ['unavailable', true]);
    await only.rollback();
    await world.call('query_traces', {});
  });
});
