import { join } from 'node:path';
import { openDatabase, type OpenDatabase } from '../db/open-database.ts';
import type { Logger } from '../kernel/logger.ts';
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
