import { SECOND_MS } from '../kernel/duration.ts';
import type { Logger } from '../kernel/logger.ts';
import { addressesOf } from './addresses.ts';
import type { Closing } from './closing.ts';
import type { Config } from './config.ts';
import { createServices, type Services } from './services.ts';
import { openStore, prepareStore } from './store.ts';

export interface OpenOptions {
  readonly applicationName: string;
  readonly logger: Logger;
  /** Takes what must be closed again: the store last, before it whatever still writes to it. */
  readonly closing: Closing;
  readonly port: number;
  /** True in a process that runs jobs. */
  readonly works: boolean;
}

/** Audit rows are small; a database that takes longer than this for the last of them is gone. */
const FLUSH_MS = 10 * SECOND_MS;

/** Opens and migrates the store and makes the services of a long-running process. */
export async function openServices(config: Config, options: OpenOptions): Promise<Services> {
  const { applicationName, logger, closing, port, works } = options;
  const store = await openStore(config, logger, applicationName);
  closing.add('database', () => store.close());
  const applied = await prepareStore(store, logger);
  if (applied.length > 0) logger.info('database migrated', { applied });
  const services = await createServices({ config, addresses: addressesOf(config, port), logger, store, works });
  closing.add('audit', async () => {
    const lost = await services.agentCalls.close(FLUSH_MS);
    if (lost > 0) logger.error('audit rows are lost: the database did not take them in time', { lost });
  });
  closing.add('last use of keys', () => services.keyUsage.flush());
  await services.delivery.start();
  closing.add('job delivery', () => services.delivery.stop());
  closing.add('dataset engine', () => services.datasets.close());
  return services;
}
