import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DatabaseAddress } from '../../src/db/connect.ts';
import type { Db } from '../../src/db/database.ts';
import { migrate, migrateDown, migrationState } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { emptyDatabase, openHandle } from '../support/boot.ts';

const names = migrations.map((migration) => migration.name);

/** Everything the schema says, as text that two databases can be compared by. */
async function describeSchema(db: Db): Promise<string[]> {
  const result = await db.raw<{ rows: { line: string }[] }>(
    `select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
       from information_schema.columns where table_schema = 'public'
     union all select indexdef from pg_indexes where schemaname = 'public'
     union all select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
       where connamespace = 'public'::regnamespace
     order by 1`,
  );
  return result.rows.map((row) => row.line);
}

function startMigrator(address: DatabaseAddress, slow = false) {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'support/migrator.ts'), JSON.stringify({ address, slow })],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async (): Promise<string> => String((await lines.next()).value);
  return { child, exit, read };
}

describe('migrate', function () {
  this.timeout(60_000);

  it('applies every step in order, once', async () => {
    const db = openHandle(await emptyDatabase());
    assert.deepEqual(await migrationState(db, migrations), { applied: [], pending: names, ahead: [] });
    assert.deepEqual(await migrate(db, migrations), names);
    assert.deepEqual(await migrate(db, migrations), []);
    assert.deepEqual(await migrationState(db, migrations), { applied: names, pending: [], ahead: [] });
  });

  it('takes every step back to an empty schema and forth again to the same one', async () => {
    const db = openHandle(await emptyDatabase());
    await migrate(db, migrations);
    const full = await describeSchema(db);
    assert.deepEqual(await migrateDown(db, migrations, migrations.length), names.toReversed());
    const left = await describeSchema(db);
    assert.ok(
      left.every((line) => line.includes('schema_migrations')),
      left.join('\n'),
    );
    assert.deepEqual(await migrateDown(db, migrations, 1), []);
    await migrate(db, migrations);
    assert.deepEqual(await describeSchema(db), full);
  });

  it('lets several processes start on one empty database at once', async () => {
    const address = await emptyDatabase();
    const migrators = Array.from({ length: 3 }, () => startMigrator(address));
    assert.deepEqual(await Promise.all(migrators.map((migrator) => migrator.exit)), [0, 0, 0]);
    const applied = await Promise.all(
      // because the process prints the names it applied
      migrators.map(async (migrator) => JSON.parse(await migrator.read()) as string[]),
    );
    assert.deepEqual(applied.flat().sort(), names.toSorted());
  });

  it('goes on by itself after a kill in the middle of a step', async () => {
    const address = await emptyDatabase();
    const killed = startMigrator(address, true);
    assert.equal(await killed.read(), 'in the middle');
    killed.child.kill('SIGKILL');
    await killed.exit;
    const db = openHandle(address);
    assert.deepEqual(await migrate(db, migrations), names.slice(1));
    const clean = openHandle(await emptyDatabase());
    await migrate(clean, migrations);
    assert.deepEqual(await describeSchema(db), await describeSchema(clean));
  });

  it('refuses a database whose history is not its own', async () => {
    const db = openHandle(await emptyDatabase());
    await migrate(db, migrations.slice(0, 1));
    await db.raw(`update schema_migrations set name = 'unknown' where position = 1`);
    await assert.rejects(migrationState(db, migrations), /its step 1 is unknown, this version has 0001/);
    await assert.rejects(migrate(db, migrations), /its step 1 is unknown, this version has 0001/);
  });

  it('takes the record of the first release, which says nothing of needs', async () => {
    const db = openHandle(await emptyDatabase());
    await migrate(db, migrations.slice(0, 1));
    await db.raw('alter table schema_migrations drop column needs');
    assert.deepEqual((await migrationState(db, migrations)).applied, names.slice(0, 1));
    assert.deepEqual(await migrate(db, migrations.slice(0, 2)), names.slice(1, 2));
  });

  it('leaves nothing of a step that fails', async () => {
    const db = openHandle(await emptyDatabase());
    const failing = {
      name: '9999-fails',
      up: async (tx: Db) => {
        await tx.raw('create table half (id integer)');
        await tx.raw('select 1 / 0');
      },
      down: async () => undefined,
    };
    await assert.rejects(migrate(db, [...migrations, failing]), /division by zero/);
    assert.deepEqual((await migrationState(db, [...migrations, failing])).pending, ['9999-fails']);
    assert.ok(!(await describeSchema(db)).some((line) => line.startsWith('half')));
  });
});
