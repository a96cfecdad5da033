import type { Knex } from 'knex';
import type { Clock } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import { effectMark } from './effect-mark.ts';

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The root handle: every statement may run on another connection of the pool. */
export type Db = Knex;
/** One open transaction on one connection. */
export type Tx = Knex.Transaction;

/**
 * Runs the work in a transaction: a new one on the root handle, the caller's own when it is given one.
 * Inside, only `tx` may be used; the root handle refuses, because waiting there for a second connection while holding
 * the first is how a pool deadlocks.
 */
export async function inTransaction<T>(db: Db | Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return work(db);
  const mark = effectMark();
  if (mark === undefined) return db.transaction(work);
  return db.transaction(async (tx) => {
    const result = await work(tx);
    await mark(tx);
    return result;
  });
}

function isTransaction(db: Db | Tx): db is Tx {
  return db.isTransaction === true;
}

/**
 * The time by the slower of two clocks, this machine's and the database's. What is removed for good is removed by it:
 * a single clock that leaps ahead must not empty the store.
 */
export async function slowerNow(db: Db | Tx, clock: Clock): Promise<Date> {
  const { rows } = await db.raw<{ rows: { now: Date }[] }>('select clock_timestamp() as now');
  const now = clock.now();
  const theirs = rows[0]?.now ?? now;
  return theirs < now ? theirs : now;
}

/** Runs the work once this transaction is committed; never when it rolls back. */
export function afterCommit(tx: Tx, work: () => void): void {
  tx.executionPromise.then(work, () => undefined);
}

/**
 * A value for a `jsonb` column. Drivers turn arrays into PostgreSQL arrays and strings into bare text, so the JSON is
 * written here and cast. U+0000 and lone surrogates, which `jsonb` cannot hold, are refused with the path of the value.
 */
export function jsonb(db: Db | Tx, value: unknown): Knex.Raw {
  return db.raw('?::jsonb', [jsonText(value)]);
}

/** The JSON text `jsonb` sends; for statements that take one parameter for many rows. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  // JSON.stringify escapes exactly the characters in question, so looking for their escapes is enough to notice them.
  if (text.includes('\\u0000') || text.includes('\\ud')) refuseUnstorable(value, '');
  return text;
}

/** The SQL text of an instant in UTC with all six digits, for cursors and for the wire. `column` is a name of ours. */
export function instantText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/**
 * Makes the server look every two seconds whether the process behind this transaction still exists, also in the middle
 * of a statement; without it the statement of a killed process runs to its end and keeps its locks until then. Servers
 * on Windows cannot look, and refuse to be asked.
 */
export async function endWithClient(tx: Tx): Promise<void> {
  await tx.raw(
    `select set_config('client_connection_check_interval', '2s', true) where version() !~* 'visual c|msvc|mingw'`,
  );
}

/** Makes `%`, `_` and `\` of a search text stand for themselves in `like … escape '\'`. */
export function likeText(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
}

/** True when a text can be stored as it is: no U+0000 and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && !LONE_SURROGATE.test(text);
}

function refuseUnstorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw unstorable(path);
  } else if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => refuseUnstorable(item, `${path}/${index}`));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (!isStorable(key)) throw unstorable(path);
      refuseUnstorable(item, `${path}/${key}`);
    }
  }
}

function unstorable(path: string): AppError {
  return new AppError(
    'invalid_input',
    `The value at ${path === '' ? 'the root' : path} holds a character that cannot be stored (U+0000 or half of a pair); remove it and try again.`,
    { fields: { field: path } },
  );
}
