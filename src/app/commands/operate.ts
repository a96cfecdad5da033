import type { Account, AccountsService } from '../../domain/identity/index.ts';
import { AppError } from '../../kernel/errors.ts';
import { createLogger } from '../../kernel/logger.ts';
import { addressesOf } from '../addresses.ts';
import { loadConfig } from '../config.ts';
import { createServices, type Services } from '../services.ts';
import { openStore, prepareStore } from '../store.ts';

/** Opens the migrated store for one short command and closes it whatever happens. */
export async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel === 'info' ? 'warn' : config.logLevel });
  const store = await openStore(config, logger, 'overmind-mcp command');
  try {
    await prepareStore(store, logger);
    return await work(
      await createServices({ config, addresses: addressesOf(config, config.port), logger, store, works: false }),
    );
  } finally {
    await store.close();
  }
}

/** The named account, or the only one there is; an installation without any gets its first by name. */
export async function chooseAccount(accounts: AccountsService, email: string | undefined): Promise<Account> {
  if (email !== undefined) return (await accounts.findByEmail(email)) ?? accounts.create({ email });
  const [account, another] = await accounts.list();
  if (account !== undefined && another === undefined) return account;
  throw new AppError(
    'invalid_input',
    account === undefined
      ? 'There is no account yet. Run overmind-mcp serve once, or name one with --account you@example.com.'
      : 'There are several accounts. Name one with --account.',
  );
}
