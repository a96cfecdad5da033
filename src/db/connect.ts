import knex, { type Knex } from 'knex';
import type { ClientConfig } from 'pg';
import type { Logger } from '../kernel/logger.ts';
import { columnTypes } from './column-types.ts';
import type { Db } from './database.ts';
import { GuardedClient } from './guarded-client.ts';

/** Where the database is: a URL, or the socket of the embedded one. */
export type DatabaseAddress =
  | { readonly url: string }
  | { readonly socketFolder: string; readonly port: number; readonly user: string; readonly database: string };

export interface ConnectOptions {
  readonly applicationName: string;
  readonly poolMax?: number;
  /** How long a caller waits for a free connection before it hears `unavailable`. */
  readonly acquireTimeoutMs?: number;
  /** The server ends a statement that runs longer; 0 for none. */
  readonly statementTimeoutMs?: number;
  readonly logger?: Logger;
}

const POOL_MAX = 10;
const ACQUIRE_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** A pool of connections; none is opened before the first statement. End it with `destroy()`. */
export function connect(address: DatabaseAddress, options: ConnectOptions): Db {
  const { poolMax = POOL_MAX, acquireTimeoutMs = ACQUIRE_TIMEOUT_MS, logger } = options;
  return knex({
    // because knex takes a client class here, and its types know only the untyped base of it
    client: GuardedClient as unknown as typeof knex.Client,
    // because the two packages describe the same object, one with exact optional properties
    connection: clientConfig(address, options) as Knex.PgConnectionConfig,
    acquireConnectionTimeout: acquireTimeoutMs,
    // Bound values stay out of error messages, and so out of the log.
    compileSqlOnError: false,
    // `min: 0`: an idle connection that the server ended is not worth keeping count of.
    pool: { min: 0, max: poolMax, idleTimeoutMillis: 30_000, createRetryIntervalMillis: 100 },
    log: {
      warn: (message: unknown) => logger?.warn('database client warns', { detail: String(message) }),
      error: (message: unknown) => logger?.error('database client fails', { detail: String(message) }),
      debug: () => undefined,
      deprecate: () => undefined,
    },
  });
}

/** The same connection for code that brings its own driver pool. */
export function clientConfig(address: DatabaseAddress, options: ConnectOptions): ClientConfig {
  const { applicationName, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  return {
    ...('url' in address
      ? { connectionString: address.url }
      : { host: address.socketFolder, port: address.port, user: address.user, database: address.database }),
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    keepAlive: true,
    types: columnTypes,
    // Compiling a plan pays off for reports only. Pages anywhere cost about the same on what databases lie on today.
    options: '-c TimeZone=UTC -c jit=off -c random_page_cost=1.1',
  };
}
