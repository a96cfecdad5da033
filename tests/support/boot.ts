import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, type DatabaseAddress } from '../../src/db/connect.ts';
import type { Db } from '../../src/db/database.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { sqlState } from '../../src/db/sql-errors.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { installDelivery } from '../../src/workers/delivery.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MIGRATIONS_FOLDER = join(ROOT, 'src/db/migrations');
const CREATE_LOCK = 4_471_203;
/** Nobody's: a run that long ago is over, however it ended. */
const STALE_HOURS = 6;
const BUSY_TEMPLATE = '55006';
const NO_DURABILITY = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '300',
} as const;

interface Server {
  readonly address: DatabaseAddress;
  readonly admin: Db;
  readonly leave: () => Promise<unknown>;
}

export interface TestDatabase {
  readonly db: Db;
  readonly address: DatabaseAddress;
}

let server: Promise<Server> | undefined;
let own: Promise<TestDatabase> | undefined;
const extra: Db[] = [];
const closers: (() => Promise<unknown>)[] = [];
const made: string[] = [];

/** This process's own copy of the migrated database; the same handle on every call. */
export async function testDatabase(): Promise<Db> {
  return (await ownDatabase()).db;
}

/** Where `testDatabase` is, for code that opens its own connections or runs in a process of its own. */
export async function testAddress(): Promise<DatabaseAddress> {
  return (await ownDatabase()).address;
}

/** A further copy of the migrated database: no worker of another test takes the jobs in it. */
export async function freshDatabase(): Promise<TestDatabase> {
  const copy = await copyTemplate();
  extra.push(copy.db);
  return copy;
}

/** A further database that starts without any table. */
export async function emptyDatabase(): Promise<DatabaseAddress> {
  const { admin, address } = await testServer();
  return withDatabase(address, await createDatabase(admin));
}

/** A further handle with its own pool on any test database; closed at the end of the run. */
export function openHandle(address: DatabaseAddress, options: Partial<Parameters<typeof connect>[1]> = {}): Db {
  const db = connect(address, { applicationName: 'tests', ...options });
  extra.push(db);
  return db;
}

/** Runs before the databases go, newest first; for whatever still uses them. */
export function beforeClosing(close: () => Promise<unknown>): void {
  closers.push(close);
}

export interface NamedDatabase {
  readonly name: string;
  readonly db: Db;
}

/** Shows `inspect` every database this process made, then drops them and leaves the server. */
export async function closeTestDatabases(
  inspect?: (databases: AsyncIterable<NamedDatabase>) => Promise<void>,
): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
  if (server === undefined) return;
  const { admin, address, leave } = await server;
  try {
    await inspect?.(eachDatabase(admin, address));
  } finally {
    await dropDatabases(admin);
    await leave();
    server = undefined;
    own = undefined;
  }
}

async function dropDatabases(admin: Db): Promise<void> {
  const opened = await own?.catch(() => undefined);
  await Promise.all([...(opened === undefined ? [] : [opened.db]), ...extra.splice(0)].map((db) => db.destroy()));
  for (const name of made.splice(0)) await admin.raw('drop database if exists ?? with (force)', [name]);
  await admin.destroy();
}

/** One after the other, each open for as long as it is looked at. */
async function* eachDatabase(admin: Db, address: DatabaseAddress): AsyncGenerator<NamedDatabase> {
  const { rows } = await admin.raw<{ rows: { name: string }[] }>('select datname as name from pg_database');
  const existing = new Set(rows.map(({ name }) => name));
  for (const name of made.filter((one) => existing.has(one))) {
    const db = connect(withDatabase(address, name), { applicationName: 'tests', poolMax: 1, statementTimeoutMs: 0 });
    try {
      yield { name, db };
    } finally {
      await db.destroy();
    }
  }
}

function testServer(): Promise<Server> {
  server ??= openServer();
  return server;
}

function ownDatabase(): Promise<TestDatabase> {
  own ??= copyTemplate();
  return own;
}

async function openServer(): Promise<Server> {
  const url = process.env['DATABASE_URL'];
  if (url !== undefined && url !== '') {
    const address = { url };
    return { address, admin: adminOf(address), leave: () => Promise.resolve() };
  }
  const embedded = await startEmbedded({ folder: join(ROOT, '.cache/test-postgres'), settings: NO_DURABILITY });
  return { address: embedded.address, admin: adminOf(embedded.address), leave: () => embedded.leave() };
}

function adminOf(address: DatabaseAddress): Db {
  return connect(address, {
    applicationName: 'tests admin',
    poolMax: 2,
    statementTimeoutMs: 0,
    acquireTimeoutMs: 60_000,
  });
}

async function copyTemplate(): Promise<TestDatabase> {
  const { admin, address } = await testServer();
  const template = await ensureTemplate(admin, address);
  const copy = withDatabase(address, await createDatabase(admin, template));
  return { db: connect(copy, { applicationName: 'tests' }), address: copy };
}

/** Builds the template once per set of migrations, whichever process comes first; the others wait for it. */
async function ensureTemplate(admin: Db, address: DatabaseAddress): Promise<string> {
  const name = `template_${hashMigrations()}`;
  // A session lock needs its connection for as long as it is held, so it lives in a transaction's.
  const lock = connect(address, { applicationName: 'tests lock', poolMax: 1, statementTimeoutMs: 0 });
  try {
    const tx = await lock.transaction();
    await tx.raw('select pg_advisory_xact_lock(?)', [CREATE_LOCK]);
    await sweep(admin, name);
    const found = await admin.raw<{ rows: unknown[] }>('select from pg_database where datname = ?', [name]);
    if (found.rows.length === 0) await buildTemplate(admin, address, name);
    await note(admin, name);
    await tx.commit();
  } finally {
    await lock.destroy();
  }
  return name;
}

async function buildTemplate(admin: Db, address: DatabaseAddress, name: string): Promise<void> {
  const building = `${name}_new`;
  await admin.raw('drop database if exists ?? with (force)', [building]);
  await admin.raw('create database ??', [building]);
  const db = connect(withDatabase(address, building), { applicationName: 'tests template' });
  try {
    await migrate(db, migrations);
    await installDelivery(db, withDatabase(address, building), createLogger({ level: 'warn' }));
  } finally {
    await db.destroy();
  }
  await untilNobodyIsIn(() => admin.raw('alter database ?? rename to ??', [building, name]));
}

async function createDatabase(admin: Db, template?: string): Promise<string> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  made.push(name);
  if (template === undefined) await admin.raw('create database ??', [name]);
  else await untilNobodyIsIn(() => admin.raw('create database ?? template ??', [name, template]));
  await note(admin, name);
  return name;
}

/** The time of last use, for the sweep. */
async function note(admin: Db, name: string): Promise<void> {
  await admin.raw(`comment on database ?? is '${new Date().toISOString()}'`, [name]);
}

/** Removes what killed or old runs left behind. */
async function sweep(admin: Db, keep: string): Promise<void> {
  const stale = await admin.raw<{ rows: { name: string }[] }>(
    `select datname as name from pg_database
     where datname ~ '^(test_\\d+_|template_[0-9a-f]{12}$)' and datname <> ?
       and coalesce(shobj_description(oid, 'pg_database'), '') < ?
       and not exists (select from pg_stat_activity where pg_stat_activity.datname = pg_database.datname)`,
    [keep, new Date(Date.now() - STALE_HOURS * 3_600_000).toISOString()],
  );
  for (const { name } of stale.rows) await admin.raw('drop database if exists ??', [name]);
}

/** A connection that was just closed is still there for a moment, as is autovacuum. */
async function untilNobodyIsIn(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (sqlState(error) !== BUSY_TEMPLATE || attempt >= 200) throw error;
      await wait(50);
    }
  }
}

function hashMigrations(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'node_modules/pg-boss/package.json')));
  for (const name of readdirSync(MIGRATIONS_FOLDER).sort()) hash.update(readFileSync(join(MIGRATIONS_FOLDER, name)));
  return hash.digest('hex').slice(0, 12);
}

function withDatabase(address: DatabaseAddress, database: string): DatabaseAddress {
  if (!('url' in address)) return { ...address, database };
  const url = new URL(address.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}
