import type { DatabaseAddress } from '../db/connect.ts';
import type { Db } from '../db/database.ts';
import {
  AccessChanges,
  AccountsService,
  AgentCallLog,
  ApiKeysService,
  InstallationSecretRepository,
  KeyUsage,
} from '../domain/identity/index.ts';
import { ProjectsService } from '../domain/projects/index.ts';
import { systemClock, type Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { PageCursors } from '../kernel/page-cursor.ts';
import type { Addresses } from './addresses.ts';
import { argon2PasswordHasher } from './argon2-password-hasher.ts';
import type { Config } from './config.ts';

/** Everything a surface may use, made once per process. */
export interface Services {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly db: Db;
  readonly cursors: PageCursors;
  /** Signs whatever must be the same on every process of the installation. */
  readonly installationSecret: string;
  readonly changes: AccessChanges;
  readonly accounts: AccountsService;
  readonly apiKeys: ApiKeysService;
  readonly keyUsage: KeyUsage;
  readonly agentCalls: AgentCallLog;
  readonly projects: ProjectsService;
}

export interface ServiceParts {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly logger: Logger;
  /** Migrated. */
  readonly store: { readonly db: Db; readonly address: DatabaseAddress };
  readonly clock?: Clock;
}

/** The composition root: the one place that knows which service needs which. */
export async function createServices(parts: ServiceParts): Promise<Services> {
  const { config, addresses, logger, clock = systemClock } = parts;
  const { db } = parts.store;
  const changes = new AccessChanges();
  const installationSecret = await new InstallationSecretRepository(db).getOrCreate();
  const cursors = new PageCursors(installationSecret);
  return {
    config,
    addresses,
    clock,
    logger,
    db,
    cursors,
    installationSecret,
    changes,
    accounts: new AccountsService({ db, clock, changes, passwords: argon2PasswordHasher }),
    apiKeys: new ApiKeysService({ db, clock, changes }),
    keyUsage: new KeyUsage({ db, onError: (error) => logger.warn('last use of keys not stored', { error }) }),
    agentCalls: new AgentCallLog({
      db,
      onTrouble: ({ what, error }) =>
        what === 'full'
          ? logger.error('audit rows are being dropped: the buffer is full')
          : logger.warn('audit rows not stored yet', { error }),
    }),
    projects: new ProjectsService({ db, clock, changes }),
  };
}
