import {
  accessKey,
  bucketUrl,
  flag,
  hostList,
  integer,
  ipRanges,
  mcpServerUrl,
  oneOf,
  optional,
  origins,
  postgresUrl,
  prices,
  text,
  url,
} from './setting-parsers.ts';
import type { Parser } from './setting-parsers.ts';

/** One thing an operator can set. The table below is the only place that knows names, defaults and meanings. */
export interface Setting<T> {
  /** The environment variable. */
  readonly name: string;
  readonly group: SettingGroup;
  /** What stands when the variable is absent or blank, written as the operator would write it. */
  readonly default: string | undefined;
  readonly meaning: string;
  readonly example: string;
  /** Printed as `(set)`, never as its value. */
  readonly secret: boolean;
  readonly parse: Parser<T>;
}

export type SettingGroup = 'Server' | 'Storage' | 'Security' | 'MCP' | 'Limits' | 'Logging' | 'Workers' | 'Models';

export const SETTINGS = {
  port: setting({
    name: 'PORT',
    group: 'Server',
    default: '8000',
    example: '8000',
    meaning: 'TCP port of the HTTP server. 0 takes any free port.',
    parse: integer(0, 65_535),
  }),
  host: setting({
    name: 'HOST',
    group: 'Server',
    default: '127.0.0.1',
    example: '0.0.0.0',
    meaning: 'Address to listen on. The default is reachable from this machine only.',
    parse: text(255),
  }),
  mcpServerUrl: setting({
    name: 'MCP_SERVER_URL',
    group: 'Server',
    default: undefined,
    example: 'https://overmind.example.com/api/mcp/',
    meaning:
      'Public address of the MCP endpoint, as clients write it. Turns OAuth on. Needed behind a proxy; its host is then allowed too.',
    parse: optional(mcpServerUrl()),
  }),
  frontendUrl: setting({
    name: 'FRONTEND_URL',
    group: 'Server',
    default: undefined,
    example: 'https://console.example.com',
    meaning: 'Address of the Console, used for console_url links. Absent: the address of this server.',
    parse: optional(url(['http:', 'https:'])),
  }),
  shutdownSeconds: setting({
    name: 'SHUTDOWN_SECONDS',
    group: 'Server',
    default: '20',
    example: '20',
    meaning: 'How long a graceful stop waits for requests and jobs in flight before it cuts them.',
    parse: integer(1, 600),
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    group: 'Storage',
    default: '.data',
    example: '/var/lib/overmind',
    meaning: 'Folder of the embedded database, the stored objects and first-run.json.',
    parse: text(1_024),
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    group: 'Storage',
    default: undefined,
    example: 'postgres://overmind:secret@localhost:5432/overmind',
    meaning: 'PostgreSQL 15 or newer to use instead of the embedded database.',
    secret: true,
    parse: optional(postgresUrl()),
  }),
  objectStoreUrl: setting({
    name: 'OBJECT_STORE_URL',
    group: 'Storage',
    default: undefined,
    example: 's3://overmind-data/production',
    meaning: 'Bucket and prefix on S3 for the rows of datasets. Absent: files below DATA_DIR.',
    parse: optional(bucketUrl()),
  }),
  objectStoreEndpoint: setting({
    name: 'OBJECT_STORE_ENDPOINT',
    group: 'Storage',
    default: undefined,
    example: 'https://minio.internal:9000',
    meaning: 'Server that speaks the S3 protocol, with the bucket in the path. Absent: Amazon S3 of the region.',
    parse: optional(url(['http:', 'https:'])),
  }),
  objectStoreRegion: setting({
    name: 'OBJECT_STORE_REGION',
    group: 'Storage',
    default: 'us-east-1',
    example: 'eu-central-1',
    meaning: 'Region of the bucket.',
    parse: text(64),
  }),
  objectStoreCredentials: setting({
    name: 'OBJECT_STORE_CREDENTIALS',
    group: 'Storage',
    default: undefined,
    example: 'access-key-id:secret-access-key',
    meaning: 'Access key for the bucket. Absent: what the AWS SDK finds, such as the role of the machine.',
    secret: true,
    parse: optional(accessKey()),
  }),
  databasePoolMax: setting({
    name: 'DATABASE_POOL_MAX',
    group: 'Storage',
    default: '10',
    example: '20',
    meaning: 'Most database connections this process opens.',
    parse: integer(2, 200),
  }),
  traceRetentionDays: setting({
    name: 'TRACE_RETENTION_DAYS',
    group: 'Storage',
    default: '365',
    example: '90',
    meaning:
      'Days that traces are kept after their last span came in; spans go by the week, at most six days later. 0 keeps everything.',
    parse: integer(0, 36_500),
  }),
  allowedHosts: setting({
    name: 'ALLOWED_HOSTS',
    group: 'Security',
    default: 'localhost,127.0.0.1,[::1]',
    example: 'overmind.example.com,.internal.example.com',
    meaning:
      'Host names a request may carry, comma separated; a leading dot admits subdomains, * admits all. Others get 421.',
    parse: hostList(),
  }),
  allowedOrigins: setting({
    name: 'ALLOWED_ORIGINS',
    group: 'Security',
    default: '',
    example: 'https://console.example.com',
    meaning: 'Origins a browser may call from, comma separated. Requests without an Origin are not affected.',
    parse: origins(),
  }),
  trustedProxies: setting({
    name: 'TRUSTED_PROXIES',
    group: 'Security',
    default: '',
    example: '10.0.0.0/8',
    meaning: 'Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed. Empty: the header is ignored.',
    parse: ipRanges(),
  }),
  metricsToken: setting({
    name: 'METRICS_TOKEN',
    group: 'Security',
    default: undefined,
    example: 'a-long-random-text',
    meaning: 'Bearer token that opens /metrics from other machines. Absent: /metrics answers this machine only.',
    secret: true,
    parse: optional(text(512)),
  }),
  oauthRefreshGraceSeconds: setting({
    name: 'OAUTH_REFRESH_GRACE_SECONDS',
    group: 'Security',
    default: '10',
    example: '0',
    meaning:
      'How long after its rotation a refresh token of the same client is served again, as a retry after a lost answer. Later use ends the connection; 0 is strict.',
    parse: integer(0, 300),
  }),
  openaiAppsChallenge: setting({
    name: 'OPENAI_APPS_CHALLENGE',
    group: 'Security',
    default: undefined,
    example: 'the-text-the-directory-shows',
    meaning: 'Text served at /.well-known/openai-apps-challenge to prove that this address is yours. Absent: 404.',
    parse: optional(text(512)),
  }),
  publishOutputSchema: setting({
    name: 'PUBLISH_OUTPUT_SCHEMA',
    group: 'MCP',
    default: 'compact',
    example: 'none',
    meaning: 'Output schemas in tools/list: compact (types without prose), full, or none.',
    parse: oneOf(['compact', 'full', 'none']),
  }),
  mcpFastLane: setting({
    name: 'MCP_FAST_LANE',
    group: 'MCP',
    default: 'true',
    example: 'false',
    meaning: 'Answer plain hot requests without the SDK. false sends every request through the SDK of its era.',
    parse: flag(),
  }),
  rateLimitRequests: setting({
    name: 'RATE_LIMIT_REQUESTS',
    group: 'Limits',
    default: '200',
    example: '1000',
    meaning:
      'Requests one credential may make per window at one process; further ones get 429 with Retry-After. 0 turns it off.',
    parse: integer(0, 10_000_000),
  }),
  rateLimitSeconds: setting({
    name: 'RATE_LIMIT_SECONDS',
    group: 'Limits',
    default: '10',
    example: '60',
    meaning: 'Length of the rate limit window.',
    parse: integer(1, 3_600),
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    group: 'Logging',
    default: 'info',
    example: 'debug',
    meaning: 'Lowest level written to stderr: debug, info, warn, error or silent.',
    parse: oneOf(['debug', 'info', 'warn', 'error', 'silent']),
  }),
  workerConcurrency: setting({
    name: 'WORKER_CONCURRENCY',
    group: 'Workers',
    default: '2',
    example: '4',
    meaning: 'Jobs one process runs at the same time.',
    parse: integer(1, 64),
  }),
  modelProviderUrl: setting({
    name: 'MODEL_PROVIDER_URL',
    group: 'Models',
    default: undefined,
    example: 'https://api.openai.com/v1',
    meaning:
      'OpenAI-compatible server for model calls. Absent: tools that need a model answer provider_not_configured.',
    parse: optional(url(['http:', 'https:'])),
  }),
  modelProviderApiKey: setting({
    name: 'MODEL_PROVIDER_API_KEY',
    group: 'Models',
    default: undefined,
    example: 'sk-…',
    meaning: 'Credential for the model provider.',
    secret: true,
    parse: optional(text(4_096)),
  }),
  modelProviderModel: setting({
    name: 'MODEL_PROVIDER_MODEL',
    group: 'Models',
    default: undefined,
    example: 'gpt-5-mini',
    meaning: 'Model to use when a call names none.',
    parse: optional(text(255)),
  }),
  modelProviderTimeoutSeconds: setting({
    name: 'MODEL_PROVIDER_TIMEOUT_SECONDS',
    group: 'Models',
    default: '60',
    example: '120',
    meaning: 'Longest wait for one answer of the model provider.',
    parse: integer(1, 600),
  }),
  modelProviderPrices: setting({
    name: 'MODEL_PROVIDER_PRICES',
    group: 'Models',
    default: undefined,
    example: '0.25:2',
    meaning:
      'Price of a million input and of a million output tokens, joined by a colon, for the record of costs. Absent: tokens are recorded without cost.',
    parse: optional(prices()),
  }),
  modelTurnTokens: setting({
    name: 'MODEL_TURN_TOKENS',
    group: 'Models',
    default: '200000',
    example: '50000',
    meaning: 'Tokens after which one turn of an agent asks the model nothing more. 0 is no limit.',
    parse: integer(0, 100_000_000),
  }),
  modelDayTokens: setting({
    name: 'MODEL_DAY_TOKENS',
    group: 'Models',
    default: '2000000',
    example: '500000',
    meaning: 'Tokens after which a project asks the model nothing more until 00:00 UTC. 0 is no limit.',
    parse: integer(0, 1_000_000_000),
  }),
} as const;

function setting<T>(options: Omit<Setting<T>, 'secret'> & { readonly secret?: boolean }): Setting<T> {
  return Object.freeze({ secret: false, ...options });
}
