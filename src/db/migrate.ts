import { endWithClient, type Db, type Tx } from './database.ts';
import type { Migration } from './migrations/migration.ts';

/** Any fixed number will do, as long as nothing else in the database takes it. */
const MIGRATION_LOCK = 7_301_884_206;

export interface MigrationState {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

/**
 * Brings the schema up to date; answers the names it applied. Each step and its record are one transaction under an
 * advisory lock that dies with its connection: processes that start together wait for each other, and a killed one
 * leaves neither half a step nor a lock behind.
 */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<readonly string[]> {
  const done: string[] = [];
  for (;;) {
    const name = await db.transaction(async (tx) => {
      const applied = await lockAndRead(tx);
      const next = pendingAfter(applied, migrations)[0];
      if (next === undefined) return undefined;
      await next.up(tx);
      await tx.raw('insert into schema_migrations (position, name) values (?, ?)', [applied.length + 1, next.name]);
      return next.name;
    });
    if (name === undefined) return done;
    done.push(name);
  }
}

/** Takes back the newest steps, newest first; answers their names. */
export async function migrateDown(db: Db, migrations: readonly Migration[], steps: number): Promise<readonly string[]> {
  const undone: string[] = [];
  while (undone.length < steps) {
    const name = await db.transaction(async (tx) => {
      const applied = await lockAndRead(tx);
      pendingAfter(applied, migrations);
      const last = migrations[applied.length - 1];
      if (last === undefined) return undefined;
      await last.down(tx);
      await tx.raw('delete from schema_migrations where position = ?', [applied.length]);
      return last.name;
    });
    if (name === undefined) break;
    undone.push(name);
  }
  return undone;
}

/** What is applied and what is not, without changing anything. */
export async function migrationState(db: Db, migrations: readonly Migration[]): Promise<MigrationState> {
  const table = await db.raw<{ rows: { found: boolean }[] }>(
    `select to_regclass('schema_migrations') is not null as found`,
  );
  const applied = table.rows[0]?.found === true ? await readApplied(db) : [];
  return { applied, pending: pendingAfter(applied, migrations).map((migration) => migration.name) };
}

async function lockAndRead(tx: Tx): Promise<readonly string[]> {
  // A step, and the wait for another process's step, may take longer than any statement in service may.
  await tx.raw('set local statement_timeout = 0');
  await endWithClient(tx);
  await tx.raw('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
  await tx.raw(`create table if not exists schema_migrations (
    position integer primary key, name text not null unique, applied_at timestamptz not null default now())`);
  return readApplied(tx);
}

async function readApplied(db: Db | Tx): Promise<readonly string[]> {
  const result = await db.raw<{ rows: { name: string }[] }>('select name from schema_migrations order by position');
  return result.rows.map((row) => row.name);
}

/** The steps still to do; refuses a database whose history is not the beginning of ours. */
function pendingAfter(applied: readonly string[], migrations: readonly Migration[]): readonly Migration[] {
  applied.forEach((name, index) => {
    const expected = migrations[index]?.name;
    if (expected !== name) {
      throw new Error(
        `The database was migrated by another version: its step ${index + 1} is ${name}, this version ${
          expected === undefined ? 'ends before it' : `has ${expected} there`
        }. Run the version that made it, or start with another database.`,
      );
    }
  });
  return migrations.slice(applied.length);
}
