import { join } from 'node:path';
import { migrate } from '../db/migrate.ts';
import { migrations } from '../db/migrations/index.ts';
import { openDatabase, type OpenDatabase } from '../db/open-database.ts';
import type { Logger } from '../kernel/logger.ts';
import { installDelivery } from '../workers/index.ts';
import type { Config } from './config.ts';

/** Opens the database the settings name, as one kind of process or another. */
export function openStore(config: Config, logger: Logger, applicationName: string): Promise<OpenDatabase> {
  return openDatabase({
    applicationName,
    folder: join(config.dataDir, 'postgres'),
    poolMax: config.databasePoolMax,
    logger,
    ...(config.databaseUrl !== undefined && { databaseUrl: config.databaseUrl }),
  });
}

/** Brings tables and message queue up to date; safe in any number of processes at once. Answers the steps it applied. */
export async function prepareStore(store: OpenDatabase, logger: Logger): Promise<readonly string[]> {
  const applied = await migrate(store.db, migrations);
  await installDelivery(store.db, store.address, logger);
  return applied;
}
