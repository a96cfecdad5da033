import { createApp, type App } from '../../src/app/app.ts';
import { addressesOf } from '../../src/app/addresses.ts';
import type { Environment } from '../../src/app/config.ts';
import { listen } from '../../src/app/http-server.ts';
import { createMetrics } from '../../src/app/metrics.ts';
import type { OAuthOptions } from '../../src/app/oauth.ts';
import { createProduct, type Product } from '../../src/app/product.ts';
import { createServices, type Services } from '../../src/app/services.ts';
import type { HttpServer } from '../../src/http/open-port.ts';
import type { Db } from '../../src/db/database.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { installDelivery } from '../../src/workers/index.ts';
import { beforeClosing, testAddress, testDatabase, type TestDatabase } from './boot.ts';
import { noteLog, noteMetrics } from './canary.ts';
import { testConfig } from './services.ts';

/** The product's whole HTTP surface in this process, on a free port and the test database. */
export interface TestServer {
  readonly origin: string;
  readonly services: Services;
  readonly product: Product;
  readonly app: App;
  /** Every line logged so far, parsed. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

export interface TestServerOptions {
  readonly environment?: Environment;
  readonly clock?: Clock;
  /** Another handle on the test database, for tests that break it. */
  readonly db?: Db;
  /** A database of its own, see `freshDatabase`. */
  readonly database?: TestDatabase;
  readonly oauth?: OAuthOptions;
}

let shared: Promise<TestServer> | undefined;
let prepared: Promise<void> | undefined;

/** The server that all tests with ordinary settings share. */
export function sharedServer(): Promise<TestServer> {
  shared ??= startServer();
  return shared;
}

/** A server with settings, a clock or a database handle of its own. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { environment, clock, db, database, oauth } = options;
  const config = await testConfig({ LOG_LEVEL: 'debug', ...environment });
  const log: Readonly<Record<string, unknown>>[] = [];
  const logger = createLogger({
    level: config.logLevel,
    write: (line) => {
      log.push(JSON.parse(line));
      noteLog(line);
    },
  });
  const server = await listen(config);
  const store = database ?? { db: db ?? (await testDatabase()), address: await testAddress() };
  prepared ??= installDelivery(await testDatabase(), await testAddress(), logger);
  await prepared;
  const addresses = addressesOf(config, server.port);
  const services = await createServices({ config, addresses, logger, store, works: false, ...(clock && { clock }) });
  await services.delivery.start();
  const metrics = createMetrics();
  const product = createProduct(services, metrics);
  const app = createApp({ services, product, metrics, strictErrors: true, ...(oauth && { oauth }) });
  server.serve(app.listener);
  const stop = once(async () => {
    noteMetrics((await metrics.text()).body);
    await stopServer(server, app, services);
  });
  beforeClosing(stop);
  return {
    origin: addressesOf({ ...config, mcpServerUrl: undefined }, server.port).origin,
    services,
    product,
    app,
    log,
    stop,
  };
}

async function stopServer(server: HttpServer, app: App, services: Services): Promise<void> {
  const stopped = server.stop(1_000);
  await app.close();
  await stopped;
  await services.datasets.close();
  await services.delivery.stop();
  await services.keyUsage.flush();
  await services.agentCalls.close(1_000);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}

export type Era = 'legacy' | 'modern';

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

/** One raw JSON-RPC request in the manner of either generation of the protocol; no client library in between. */
export async function rpc(
  origin: string,
  request: {
    readonly key?: string;
    readonly method: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly era?: Era;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<RpcAnswer> {
  const { key, method, params = {}, era = 'legacy' } = request;
  const response = await fetch(`${origin}/api/mcp/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key !== undefined && { 'x-api-key': key }),
      ...(era === 'legacy' ? { 'mcp-protocol-version': '2025-11-25' } : modernHeaders(method, params)),
      ...request.headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: era === 'legacy' ? params : withEnvelope(params) }),
  });
  const text = await response.text();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  // because the tests assert on what a JSON-RPC answer holds, and fail when it is something else
  const { result, error } = body as Pick<RpcAnswer, 'result' | 'error'>;
  return {
    status: response.status,
    headers: response.headers,
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
  };
}

function modernHeaders(method: string, params: Readonly<Record<string, unknown>>): Record<string, string> {
  const name = params['name'] ?? params['uri'];
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  };
}

function withEnvelope(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
    },
  };
}
