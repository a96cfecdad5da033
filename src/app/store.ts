import { join } from 'node:path';
import type { Db } from '../db/database.ts';
import { migrate, migrationState } from '../db/migrate.ts';
import { migrations } from '../db/migrations/index.ts';
import { openDatabase, type OpenDatabase } from '../db/open-database.ts';
import { sqlState } from '../db/sql-errors.ts';
import { AppError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { installDelivery } from '../workers/index.ts';
import { ConfigError, type Config } from './config.ts';

const OLDEST_SERVER = 150_000;

/** Opens the database the settings name, as one kind of process or another, and sees that it can be used. */
export async function openStore(config: Config, logger: Logger, applicationName: string): Promise<OpenDatabase> {
  const store = await openDatabase({
    applicationName,
    folder: join(config.dataDir, 'postgres'),
    poolMax: config.databasePoolMax,
    logger,
    ...(config.databaseUrl !== undefined && { databaseUrl: config.databaseUrl }),
  });
  if (store.embedded) return store;
  try {
    await checkServer(store.db);
    return store;
  } catch (error) {
    await store.close();
    throw explain(error);
  }
}

/** Brings tables and message queue up to date; safe in any number of processes at once. Answers the steps it applied. */
export async function prepareStore(store: OpenDatabase, logger: Logger): Promise<readonly string[]> {
  const applied = await migrate(store.db, migrations, { logger });
  const { ahead } = await migrationState(store.db, migrations);
  if (ahead.length > 0) logger.info('the database is of a later version, which this one can go on beside', { ahead });
  await installDelivery(store.db, store.address, logger);
  return applied;
}

async function checkServer(db: Db): Promise<void> {
  const answer = await db.raw<{ rows: { version: number }[] }>(
    `select current_setting('server_version_num')::integer as version`,
  );
  const version = answer.rows[0]?.version ?? 0;
  if (version < OLDEST_SERVER) {
    throw fault(`is PostgreSQL ${Math.floor(version / 10_000)}; version 15 or newer is needed.`);
  }
}

/** The operator wrote the address, so the operator is told what about it does not work; never the address itself. */
function explain(error: unknown): unknown {
  const state = sqlState(error) ?? '';
  if (state.startsWith('28')) return fault('names a user or password that the server refuses.');
  if (state === '3D000') return fault('names a database that does not exist; make it first.');
  if (error instanceof AppError && error.code === 'unavailable') {
    const message = 'The database of DATABASE_URL does not answer. Check the address and that the server runs.';
    return new AppError('unavailable', message, { cause: error });
  }
  return error;
}

function fault(words: string): ConfigError {
  return new ConfigError([{ name: 'DATABASE_URL', message: `DATABASE_URL ${words}` }]);
}
