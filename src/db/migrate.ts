import { AppError } from '../kernel/errors.ts';
import { sleep } from '../kernel/duration.ts';
import type { Logger } from '../kernel/logger.ts';
import { endWithClient, type Db, type Tx } from './database.ts';
import { compareHistory, needsOf, type AppliedStep, type MigrationState } from './migration-history.ts';
import type { Migration } from './migrations/migration.ts';
import { sqlState } from './sql-errors.ts';

export interface MigrateOptions {
  readonly logger?: Logger;
  /** How long a step waits for a table. Everybody who wants that table waits behind it meanwhile. */
  readonly lockTimeoutMs?: number;
  /** How long others have the table to themselves before the next try. */
  readonly pauseMs?: number;
  readonly tries?: number;
}

/** Any fixed number will do, as long as nothing else in the database takes it. */
const MIGRATION_LOCK = 7_301_884_206;
/** Under the second after which the server looks for deadlocks, so that a step gives way and never a request. */
const LOCK_TIMEOUT_MS = 500;
const PAUSE_MS = 2_000;
/** Statements in service end after half a minute; whatever holds a table for minutes is for a person to look at. */
const TRIES = 100;
/** A lock that was not to be had in time, and two that wait for each other. */
const CONTENDED: ReadonlySet<string> = new Set(['55P03', '40P01']);

/**
 * Brings the schema up to date; answers the names it applied. Each step and its record are one transaction under an
 * advisory lock that dies with its connection: processes that start together wait for each other, and a killed one
 * leaves neither half a step nor a lock behind. A step that does not get its tables soon is taken back and tried again,
 * so servers that run meanwhile never wait long. What a later version has applied already is left as it is.
 */
export async function migrate(
  db: Db,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<readonly string[]> {
  const done: string[] = [];
  for (;;) {
    const name = await whileContended(() => applyNext(db, migrations, options), options);
    if (name === undefined) return done;
    done.push(name);
  }
}

/** Takes back the newest steps, newest first; answers their names. */
export async function migrateDown(db: Db, migrations: readonly Migration[], steps: number): Promise<readonly string[]> {
  const undone: string[] = [];
  while (undone.length < steps) {
    const name = await db.transaction(async (tx) => {
      const { applied, ahead } = compareHistory(await lockAndRead(tx), migrations);
      if (ahead.length > 0) throw new Error(`Only the version that applied ${ahead.join(', ')} can take it back.`);
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
  return compareHistory(table.rows[0]?.found === true ? await readApplied(db) : [], migrations);
}

function applyNext(
  db: Db,
  migrations: readonly Migration[],
  { lockTimeoutMs = LOCK_TIMEOUT_MS }: MigrateOptions,
): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    const { applied, pending } = compareHistory(await lockAndRead(tx), migrations);
    const next = pending.length === 0 ? undefined : migrations[applied.length];
    if (next === undefined) return undefined;
    await tx.raw(`set local lock_timeout = ${Math.max(1, Math.round(lockTimeoutMs))}`);
    await next.up(tx);
    await tx.raw('insert into schema_migrations (position, name, needs) values (?, ?, ?)', [
      applied.length + 1,
      next.name,
      needsOf(next, migrations),
    ]);
    return next.name;
  });
}

async function whileContended<T>(
  work: () => Promise<T>,
  { logger, pauseMs = PAUSE_MS, tries = TRIES }: MigrateOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isContended(error)) throw error;
      if (attempt >= tries) {
        const message = `A migration found its tables in use ${tries} times; end the transactions that hold them and try again.`;
        throw new AppError('unavailable', message, { cause: error });
      }
      logger?.warn('a migration waits for its tables', { attempt });
      await sleep(pauseMs);
    }
  }
}

function isContended(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return CONTENDED.has(sqlState(cause) ?? '');
}

async function lockAndRead(tx: Tx): Promise<readonly AppliedStep[]> {
  // A step, and the wait for another process's step, may take longer than any statement in service may.
  await tx.raw('set local statement_timeout = 0');
  await endWithClient(tx);
  await tx.raw('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
  await tx.raw(`create table if not exists schema_migrations (
    position integer primary key, name text not null unique, applied_at timestamptz not null default now())`);
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'needs'`,
  );
  if (rows.length === 0) await tx.raw('alter table schema_migrations add column needs integer not null default 0');
  return readApplied(tx);
}

/** A record written by the first release says nothing of needs. */
async function readApplied(db: Db | Tx): Promise<readonly AppliedStep[]> {
  const result = await db.raw<{ rows: AppliedStep[] }>(
    `select name, coalesce((to_jsonb(step) ->> 'needs')::integer, 0) as needs
     from schema_migrations step order by position`,
  );
  return result.rows;
}
