import { createWriteStream, type WriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Db } from '../../src/db/database.ts';

/** Shorter ones are found in innocent text; what the server gives out is longer by far. */
const LEAST_LENGTH = 16;
const LEAST_VARIETY = 9;
/** This many characters in a row of a secret are a leak, wherever in it they stand. */
const WINDOW = 16;
const BATCH_ROWS = 2_000;

/** Every secret that was given out or typed in during this run, by its text. */
const secrets = new Map<string, string>();
const logFile = join(tmpdir(), `overmind-canary-${process.pid}.log`);
let log: WriteStream | undefined;
const metrics: string[] = [];
/** Programs that use the same support for other ends keep nothing. */
let isWatching = false;

export function startCanary(): void {
  isWatching = true;
}

/** From now on `text` must stand nowhere; `what` says what it is. */
export function noteSecret(what: string, text: string | undefined): void {
  // A test's own idea of a wrong key, such as one letter many times, is found in all kinds of text.
  if (new Set(text).size < LEAST_VARIETY) return;
  if (isWatching && text !== undefined && text.length >= LEAST_LENGTH && !secrets.has(text)) secrets.set(text, what);
}

/** A line, or several, that a server wrote for its operator. */
export function noteLog(text: string): void {
  if (!isWatching) return;
  log ??= createWriteStream(logFile);
  log.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function noteMetrics(text: string): void {
  if (isWatching) metrics.push(text);
}

/** What was looked through, for people. */
export interface CanaryReport {
  readonly secrets: number;
  readonly databases: number;
  readonly megabytes: number;
  readonly leaks: readonly string[];
}

/** Looks for every noted secret in every row of the databases, in all log lines and in all metrics. */
export async function findLeaks(databases: AsyncIterable<{ readonly name: string; readonly db: Db }>) {
  const search = new Search(secrets);
  let count = 0;
  for await (const { name, db } of databases) {
    count += 1;
    await searchDatabase(search, name, db);
  }
  if (log !== undefined) {
    log.end();
    await finished(log);
    for (const line of (await readFile(logFile, 'utf8')).split('\n'))
      search.look(`the log: ${line.slice(0, 400)}`, line);
    await rm(logFile, { force: true });
    log = undefined;
  }
  for (const text of metrics.splice(0)) search.look('the metrics', text);
  return {
    secrets: secrets.size,
    databases: count,
    megabytes: Math.round(search.characters / 1e5) / 10,
    leaks: [...search.leaks],
  } satisfies CanaryReport;
}

/** Reads every row of every table, the queue's own included. */
export async function searchDatabase(search: Search, name: string, db: Db): Promise<void> {
  const { rows } = await db.raw<{ rows: { schema: string; table: string }[] }>(
    `select n.nspname as schema, c.relname as table from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition
       and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`,
  );
  for (const { schema, table } of rows)
    await db.transaction(async (tx) => {
      await tx.raw('declare everything no scroll cursor for select row_to_json(t)::text as text from ??.?? t', [
        schema,
        table,
      ]);
      for (;;) {
        const batch = await tx.raw<{ rows: { text: string }[] }>(`fetch ${BATCH_ROWS} from everything`);
        if (batch.rows.length === 0) break;
        for (const { text } of batch.rows) search.look(`${schema}.${table} of ${name}`, text);
      }
    });
}

/** Finds any telling part of many texts in many others, in one pass over those. */
export class Search {
  readonly leaks = new Set<string>();
  characters = 0;
  /** Three windows of each secret: any copy that is nearly whole holds one of them. */
  readonly #windows = new Map<string, string>();
  readonly #others: readonly (readonly [string, string])[];

  constructor(noted: ReadonlyMap<string, string>) {
    const others: (readonly [string, string])[] = [];
    for (const [text, what] of noted) {
      if (!/^[\w-]+$/.test(text)) {
        others.push([text, what]);
        continue;
      }
      // The first characters of a key are shown on purpose, so the first window starts behind them.
      const starts = [Math.min(12, text.length - WINDOW), Math.floor((text.length - WINDOW) / 2), text.length - WINDOW];
      for (const start of starts) this.#windows.set(text.slice(start, start + WINDOW), what);
    }
    this.#others = others;
  }

  look(place: string, text: string): void {
    this.characters += text.length;
    for (const [secret, what] of this.#others) if (text.includes(secret)) this.leaks.add(`${what} in ${place}`);
    for (const [run] of text.matchAll(/[\w-]{16,}/g))
      for (let start = 0; start + WINDOW <= run.length; start += 1) {
        const what = this.#windows.get(run.slice(start, start + WINDOW));
        if (what !== undefined) this.leaks.add(`${what} in ${place}`);
      }
  }
}
