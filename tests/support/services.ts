import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressesOf } from '../../src/app/addresses.ts';
import { loadConfig, type Config, type Environment } from '../../src/app/config.ts';
import { createServices, type Services } from '../../src/app/services.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Db } from '../../src/db/database.ts';
import type { DatabaseAddress } from '../../src/db/connect.ts';
import { testAddress, testDatabase } from './boot.ts';
import { objectSettings } from './lane.ts';

/** The product's real services on this process's test database, one set per call. */
export async function makeServices(
  parts: { readonly environment?: Environment; readonly clock?: Clock; readonly db?: Db } = {},
): Promise<Services> {
  const address = await testAddress();
  const config = await testConfig(parts.environment ?? {}, address);
  return createServices({
    config,
    addresses: addressesOf(config, 8_000),
    logger: createLogger({ level: 'silent' }),
    store: { db: parts.db ?? (await testDatabase()), address },
    works: false,
    ...(parts.clock !== undefined && { clock: parts.clock }),
  });
}

/** Settings of a server that keeps its files in a fresh folder and never limits a test's calls. */
export async function testConfig(environment: Environment, address: DatabaseAddress): Promise<Config> {
  return loadConfig({
    DATA_DIR: await mkdtemp(join(tmpdir(), 'overmind-test-')),
    PORT: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_REQUESTS: '0',
    ...objectSettings(address),
    ...environment,
  });
}
