import { join } from 'node:path';
import { jobPolicies } from '../../generated/contracts/job-policies.ts';
import { createAuthenticator, type Authenticate } from '../auth/authenticate.ts';
import { createOAuthAuthenticator } from '../auth/oauth-authenticate.ts';
import { createProjectResolver, type ResolveProject } from '../auth/project-access.ts';
import type { DatabaseAddress } from '../db/connect.ts';
import type { Db } from '../db/database.ts';
import { createDatasets, type Datasets, type DatasetsParts, type ObjectStore } from '../domain/datasets/index.ts';
import {
  AccessChanges,
  AccountsService,
  AgentCallLog,
  AgentCallsService,
  ApiKeysService,
  Attempts,
  ConnectionsService,
  InstallationSecretRepository,
  KeyUsage,
  OAuthKeysService,
  OAuthStore,
  OAuthTokensService,
  SessionsService,
} from '../domain/identity/index.ts';
import { JobsService, RequestKeys } from '../domain/jobs/index.ts';
import { ModelsService } from '../domain/models/index.ts';
import { createObservability, type Observability } from '../domain/observability/index.ts';
import { Invitations, ProjectsService } from '../domain/projects/index.ts';
import { systemClock, type Clock } from '../kernel/clock.ts';
import { SECOND_MS } from '../kernel/duration.ts';
import { newId } from '../kernel/ids.ts';
import type { Logger } from '../kernel/logger.ts';
import { PageCursors } from '../kernel/page-cursor.ts';
import { deriveKey } from '../kernel/secrets.ts';
import { DuckDbDatasetEngine } from '../providers/dataset-engine/duckdb-dataset-engine.ts';
import { OpenAiChatModel } from '../providers/models/openai-chat-model.ts';
import { LocalObjectStore } from '../providers/object-store/local-object-store.ts';
import { S3ObjectStore } from '../providers/object-store/s3-object-store.ts';
import { Delivery } from '../workers/index.ts';
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
  /** The same rows, for people to read. */
  readonly audit: AgentCallsService;
  /** Tries at passwords, counted for all processes together. */
  readonly attempts: Attempts;
  /** Who is signed in at the Console. */
  readonly sessions: SessionsService;
  readonly projects: ProjectsService;
  readonly invitations: Invitations;
  /** One memory of good credentials and memberships for all surfaces. */
  readonly authenticate: Authenticate;
  /** The same and, where OAuth is on, its access tokens. For the MCP endpoint alone. */
  readonly authenticateMcp: Authenticate;
  /** What people have connected; there is nothing to list where OAuth is off. */
  readonly connections: ConnectionsService;
  readonly oauth: OAuthServices;
  readonly resolveProject: ResolveProject;
  /** Start it before the first job is asked for. */
  readonly delivery: Delivery;
  readonly jobs: JobsService;
  readonly requestKeys: RequestKeys;
  readonly observability: Observability;
  /** Language models, where the operator has set one up. */
  readonly models: ModelsService;
  readonly datasets: Datasets;
}

export interface OAuthServices {
  readonly store: OAuthStore;
  readonly tokens: OAuthTokensService;
  readonly keys: OAuthKeysService;
}

export interface ServiceParts {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly logger: Logger;
  /** Migrated. */
  readonly store: { readonly db: Db; readonly address: DatabaseAddress };
  /** True in a process that runs jobs. */
  readonly works: boolean;
  readonly clock?: Clock;
}

/** The composition root: the one place that knows which service needs which. */
export async function createServices(parts: ServiceParts): Promise<Services> {
  const { config, addresses, logger, works, clock = systemClock } = parts;
  const { db, address } = parts.store;
  const installationSecret = await new InstallationSecretRepository(db).getOrCreate();
  const cursors = new PageCursors(installationSecret);
  const delivery = new Delivery({ address, logger, maintain: works });
  const jobs = new JobsService({ db, delivery, policies: jobPolicies, cursors });
  const observability = createObservability({ db, clock, cursors });
  const { capabilities, traces } = observability;
  const identity = identityServices(db, clock, logger);
  const models = modelsService(config, db);
  const oauth = oauthServices(parts, { installationSecret, clock });
  const sessions = new SessionsService({ db, clock, accounts: identity.accounts });
  const authenticate = createAuthenticator({ ...identity, clock });
  return {
    config,
    addresses,
    clock,
    logger,
    db,
    cursors,
    installationSecret,
    ...identity,
    authenticate,
    authenticateMcp:
      config.mcpServerUrl === undefined
        ? authenticate
        : createOAuthAuthenticator({ keys: authenticate, tokens: oauth.tokens, resource: config.mcpServerUrl }),
    audit: new AgentCallsService({ db, cursors }),
    attempts: new Attempts({ db, clock }),
    sessions,
    invitations: new Invitations({ ...identity, sessions }),
    connections: new ConnectionsService({ db, clock, changes: identity.changes }),
    oauth,
    resolveProject: createProjectResolver(identity),
    delivery,
    jobs,
    requestKeys: new RequestKeys(db),
    observability,
    models,
    datasets: createDatasets({ db, clock, cursors, jobs, capabilities, traces, models, ...dataStores(config) }),
  };
}

type IdentityServices = Pick<Services, 'changes' | 'accounts' | 'apiKeys' | 'keyUsage' | 'agentCalls' | 'projects'>;

function identityServices(db: Db, clock: Clock, logger: Logger): IdentityServices {
  const changes = new AccessChanges();
  return {
    changes,
    accounts: new AccountsService({ db, clock, changes, passwords: argon2PasswordHasher }),
    apiKeys: new ApiKeysService({ db, clock, changes }),
    keyUsage: new KeyUsage({ db, onError: (error) => logger.warn('last use of keys not stored', { error }) }),
    agentCalls: new AgentCallLog({
      db,
      onTrouble: ({ what, error }) =>
        what === 'full'
          ? logger.error('calls wait: audit rows are stored more slowly than they come')
          : logger.warn('audit rows not stored yet', { error }),
    }),
    projects: new ProjectsService({ db, clock, changes }),
  };
}

function oauthServices(
  { config, logger, store: { db } }: ServiceParts,
  { installationSecret, clock }: { readonly installationSecret: string; readonly clock: Clock },
): OAuthServices {
  return {
    store: new OAuthStore({ db, clock }),
    keys: new OAuthKeysService({ db, clock, sealingKey: deriveKey(installationSecret, 'oauth-keys') }),
    tokens: new OAuthTokensService({
      db,
      clock,
      successionKey: deriveKey(installationSecret, 'oauth-succession'),
      graceSeconds: config.oauthRefreshGraceSeconds,
      onError: (error) => logger.warn('use of a connection not stored', { error }),
    }),
  };
}

function modelsService(config: Config, db: Db): ModelsService {
  const { modelProviderUrl: url, modelProviderModel: model, modelProviderApiKey: apiKey } = config;
  const missing = url === undefined ? 'MODEL_PROVIDER_URL' : 'MODEL_PROVIDER_MODEL';
  const timeoutMs = config.modelProviderTimeoutSeconds * SECOND_MS;
  return new ModelsService({
    db,
    newId,
    provider:
      url === undefined || model === undefined
        ? { missing }
        : { model: new OpenAiChatModel({ url, model, timeoutMs, ...(apiKey !== undefined && { apiKey }) }) },
    budgets: { workTokens: config.modelTurnTokens, dayTokens: config.modelDayTokens },
    ...(config.modelProviderPrices && { prices: config.modelProviderPrices }),
  });
}

function dataStores(config: Config): Pick<DatasetsParts, 'objects' | 'engine'> {
  const { dataDir } = config;
  const objects = objectStore(config);
  return { objects, engine: new DuckDbDatasetEngine({ objects, workFolder: join(dataDir, 'work') }) };
}

function objectStore(config: Config): ObjectStore {
  const { dataDir, objectStoreUrl, objectStoreEndpoint, objectStoreRegion, objectStoreCredentials } = config;
  if (objectStoreUrl === undefined) return new LocalObjectStore(join(dataDir, 'objects'));
  return new S3ObjectStore({
    place: {
      ...objectStoreUrl,
      region: objectStoreRegion,
      ...(objectStoreEndpoint !== undefined && { endpoint: objectStoreEndpoint }),
      ...(objectStoreCredentials && { credentials: objectStoreCredentials }),
    },
    copiesFolder: join(dataDir, 'copies'),
  });
}
