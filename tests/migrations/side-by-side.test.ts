import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Db } from '../../src/db/database.ts';
import { migrate, migrateDown } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import type { Migration } from '../../src/db/migrations/migration.ts';
import { prepareStore } from '../../src/app/store.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { exportSpans } from '../domain/observability/support/export.ts';
import { beforeClosing, emptyDatabase, freshDatabase, openHandle, type TestDatabase } from '../support/boot.ts';
import { eventually } from '../support/eventually.ts';
import { given } from '../support/given.ts';
import { startServer } from '../support/mcp.ts';
import { insertTraceAsOf0006 } from './support/old-server.ts';
import { lostBetween, shapeOf } from './support/shape.ts';

const grows: Migration = {
  name: '9001-grows',
  up: async (tx) => {
    await tx.raw('alter table traces add column later text');
    await tx.raw('create index traces_by_later on traces (project_id, later) where later is not null');
  },
  down: async (tx) => {
    await tx.raw('alter table traces drop column later');
  },
};
const shrinks: Migration = {
  name: '9002-shrinks',
  needs: '9001-grows',
  up: async (tx) => {
    await tx.raw('alter table traces alter column later set not null');
  },
  down: async (tx) => {
    await tx.raw('alter table traces alter column later drop not null');
  },
};
/** Steps of the first release; no server of before can run beside them. */
const FIRST_RELEASE = 15;
/** Version of the message tables that comes with this package of theirs. */
const MESSAGE_TABLES = 46;
const EAGER = { lockTimeoutMs: 50, pauseMs: 50 };

/** Starts this version on the database, as far as its schema goes; answers what that says in the log. */
async function start({ db, address }: TestDatabase): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const log: Readonly<Record<string, unknown>>[] = [];
  const logger = createLogger({ write: (line) => log.push(JSON.parse(line)) });
  await prepareStore({ db, address, embedded: true, close: () => Promise.resolve() }, logger);
  return log;
}

/** Keeps a table as a long report would: nobody may change its shape until the answer is called. */
async function readForLong(db: Db, table: string): Promise<() => Promise<void>> {
  const tx = await db.transaction();
  await tx.raw('select count(*) from ??', [table]);
  const end = async (): Promise<void> => {
    if (!tx.isCompleted()) await tx.commit();
  };
  // Also after a failure, else nobody could go.
  beforeClosing(end);
  return end;
}

describe('a server of the version before', function () {
  this.timeout(60_000);

  it('goes on and starts again beside a schema that grew, and steps aside for one that took something away', async () => {
    const database = await freshDatabase();
    const { db } = database;
    const server = await startServer({ database, processes: 1 });
    const world = await given.project({ server });
    const ready = async () => (await fetch(`${server.origin}/readyz`)).status;
    const tries: unknown[] = [];
    const logger = createLogger({ write: (line) => tries.push(JSON.parse(line)) });
    const endReport = await readForLong(openHandle(database.address), 'traces');

    let grown: readonly string[] | undefined;
    const growing = migrate(openHandle(database.address), [...migrations, grows], { ...EAGER, logger }).then(
      (applied) => (grown = applied),
    );
    for (let round = 0; round < 5; round += 1) await exportSpans(world, [{ name: 'while it waits' }]);
    await eventually(() => assert.ok(tries.length > 2));
    assert.equal(grown, undefined);
    await endReport();
    assert.deepEqual(await growing, ['9001-grows']);

    assert.equal(await ready(), 200);
    await exportSpans(world, [{ name: 'beside it' }]);
    assert.equal((await world.call('query_traces', {})).traces.length, 6);
    const [line] = await start(database);
    assert.deepEqual(
      [line?.['message'], line?.['ahead']],
      ['the database is of a later version, which this one can go on beside', ['9001-grows']],
    );
    await assert.rejects(migrateDown(db, migrations, 1), /Only the version that applied 9001-grows can take it back/);

    await db.raw(`update traces set later = ''`);
    await migrate(db, [...migrations, grows, shrinks], EAGER);
    assert.equal(await ready(), 503);
    await assert.rejects(start(database), {
      code: 'unavailable',
      message: new RegExp(`its step 9002-shrinks ended what this version, which ends at ${migrations.at(-1)?.name}`),
    });
    await server.stop();
  });

  it('has its old statements taken while nine steps are applied, and everything counts', async () => {
    const address = await emptyDatabase();
    const db = openHandle(address);
    await migrate(db, migrations.slice(0, 6));
    await db.raw(`insert into projects (id, name, slug) values ('p', 'p', 'p')`);
    const written: string[] = [];
    const faults: unknown[] = [];
    const over = new AbortController();
    const old = openHandle(address);
    const writers = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        await insertTraceAsOf0006(old, 'p').then(
          (trace) => written.push(trace),
          (fault: unknown) => faults.push(fault),
        );
      }
    });
    await eventually(() => assert.ok(written.length > 20));
    await migrate(openHandle(address), migrations, EAGER);
    const soFar = written.length;
    await eventually(() => assert.ok(written.length > soFar + 20));
    over.abort();
    await Promise.all(writers);
    assert.deepEqual(faults, []);
    const count = async (sql: string) => Number((await db.raw<{ rows: { n: string }[] }>(sql)).rows[0]?.n);
    assert.equal(await count('select count(*) as n from traces'), written.length);
    assert.equal(await count('select count(*) as n from spans'), written.length);
    assert.equal(await count(`select sum(n) as n from traffic where grain = 'day' and facet = 'all'`), written.length);
  });

  it('is named by every step that takes something away from it', async () => {
    const db = openHandle(await emptyDatabase());
    await migrate(db, migrations.slice(0, FIRST_RELEASE));
    const steps = [...migrations, grows, shrinks];
    let before = await shapeOf(db);
    for (let known = FIRST_RELEASE + 1; known <= steps.length; known += 1) {
      const [name] = await migrate(db, steps.slice(0, known));
      const after = await shapeOf(db);
      const lost = lostBetween(before, after);
      const needs = steps[known - 1]?.needs;
      assert.equal(
        lost.length > 0,
        needs !== undefined,
        `${name} with needs: ${needs} and ${lost.join('; ') || 'no loss'}`,
      );
      before = after;
    }
  });

  it('is asked about when the message tables change, which are not ours to keep in shape', async () => {
    const boss = JSON.parse(await readFile('node_modules/pg-boss/package.json', 'utf8'));
    const advice = 'A new shape of the message tables ends what servers of before work with: add a step with `needs`.';
    assert.equal(boss.pgboss.schema, MESSAGE_TABLES, advice);
  });
});
