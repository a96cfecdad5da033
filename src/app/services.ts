import type { Db } from '../db/database.ts';
import type {
  AccessChanges,
  AccountsService,
  AgentCallLog,
  ApiKeysService,
  KeyUsage,
} from '../domain/identity/index.ts';
import type { ProjectsService } from '../domain/projects/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { PageCursors } from '../kernel/page-cursor.ts';
import type { Config } from './config.ts';

/** Everything a surface may use, made once per process. */
export interface Services {
  readonly config: Config;
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
