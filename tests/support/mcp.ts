import { createApp, type App } from '../../src/app/app.ts';
import { addressesOf } from '../../src/app/addresses.ts';
import type { Environment } from '../../src/app/config.ts';
import { listen } from '../../src/app/http-server.ts';
import { createMetrics } from '../../src/app/metrics.ts';
import type { OAuthOptions } from '../../src/app/oauth.ts';
import { createProduct, type Product } from '../../src/app/product.ts';
import { createServices, type ServiceParts, type Services } from '../../src/app/services.ts';
import type { Db } from '../../src/db/database.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import type { LiveStreamsOptions } from '../../src/rest/live-traces.ts';
import { installDelivery } from '../../src/workers/index.ts';
import { beforeClosing, openHandle, testAddress, testDatabase, type TestDatabase } from './boot.ts';
import { noteLog, noteMetrics } from './canary.ts';
import { PROCESSES } from './lane.ts';
import { testConfig } from './services.ts';

/** The product's whole HTTP surface in this process, on a free port and the test database. */
export interface TestServer {
  readonly origin: string;
  /** Of the first instance, for what a test does beside its requests. */
  readonly services: Services;
  /** All that answer at the address, in turns; each with its own memory, pools and engine. */
  readonly instances: readonly Instance[];
  /** Every line logged so far, parsed. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

/** What one process of the installation would hold. */
export interface Instance {
  readonly services: Services;
  readonly product: Product;
  readonly app: App;
  close(): Promise<void>;
}

export interface TestServerOptions {
  /** 1 for tests of what one process keeps to itself; the setting of the run otherwise. */
  readonly processes?: number;
  readonly environment?: Environment;
  readonly clock?: Clock;
  /** Another handle on the test database, for tests that break it. */
  readonly db?: Db;
  /** A database of its own, see `freshDatabase`. */
  readonly database?: TestDatabase;
  readonly oauth?: OAuthOptions;
  readonly liveStreams?: LiveStreamsOptions;
}

/** Four processes of ten connections each are more than a small database gives. */
const SMALL_POOL = { poolMax: 6 };

let shared: Promise<TestServer> | undefined;
let prepared: Promise<void> | undefined;

/** The server that all tests with ordinary settings share. */
export function sharedServer(): Promise<TestServer> {
  shared ??= startServer();
  return shared;
}

/** A server with settings, a clock or a database handle of its own. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { environment, db, database, processes = PROCESSES } = options;
  const store = database ?? { db: db ?? (await testDatabase()), address: await testAddress() };
  const config = await testConfig({ LOG_LEVEL: 'debug', ...environment }, store.address);
  const log: Readonly<Record<string, unknown>>[] = [];
  const logger = createLogger({
    level: config.logLevel,
    write: (line) => {
      log.push(JSON.parse(line));
      noteLog(line);
    },
  });
  const server = await listen(config);
  prepared ??= installDelivery(await testDatabase(), await testAddress(), logger);
  await prepared;
  const addresses = addressesOf(config, server.port);
  const parts = { config, addresses, logger, works: false };
  const instances = await Promise.all(
    Array.from({ length: processes }, (_, index) => {
      // A handle that the test has made itself is there to be broken, for all of them.
      const own = index === 0 || db !== undefined ? store : { ...store, db: openHandle(store.address, SMALL_POOL) };
      return startInstance({ ...parts, store: own }, options);
    }),
  );
  server.serve(inTurns(instances));
  const stop = once(async () => {
    const stopped = server.stop(1_000);
    for (const { app } of instances) await app.close();
    await stopped;
    await Promise.all(instances.map((instance) => instance.close()));
  });
  beforeClosing(stop);
  const [first] = instances;
  if (first === undefined) throw new Error('A server is at least one process.');
  return {
    origin: addressesOf({ ...config, mcpServerUrl: undefined }, server.port).origin,
    services: writingAll(instances, first.services),
    instances,
    log,
    stop,
  };
}

async function startInstance(
  parts: ServiceParts,
  { clock, oauth, liveStreams }: Pick<TestServerOptions, 'clock' | 'oauth' | 'liveStreams'>,
): Promise<Instance> {
  const services = await createServices({ ...parts, ...(clock && { clock }) });
  await services.delivery.start();
  const metrics = createMetrics();
  const product = createProduct(services, metrics, { ...(liveStreams && { liveStreams }) });
  const app = createApp({ services, product, metrics, strictErrors: true, ...(oauth && { oauth }) });
  const close = async (): Promise<void> => {
    noteMetrics((await metrics.text()).body);
    await services.datasets.close();
    await services.delivery.stop();
    await services.keyUsage.flush();
    await services.agentCalls.close(1_000);
  };
  return { services, product, app, close };
}

/** One request each, as a load balancer would. */
function inTurns(instances: readonly Instance[]): App['listener'] {
  let turn = 0;
  return (request, response) => {
    turn = (turn + 1) % instances.length;
    instances[turn]?.app.listener(request, response);
  };
}

/** What was noted behind a request may stand in the memory of any instance: a flush is one of all. */
function writingAll(instances: readonly Instance[], services: Services): Services {
  if (instances.length === 1) return services;
  const { agentCalls, keyUsage } = services;
  const others = instances.slice(1).map((instance) => instance.services);
  const flushCalls = agentCalls.flush.bind(agentCalls);
  const flushUsage = keyUsage.flush.bind(keyUsage);
  agentCalls.flush = async () => {
    const written = await Promise.all([flushCalls(), ...others.map((other) => other.agentCalls.flush())]);
    return written.every(Boolean);
  };
  keyUsage.flush = async () => {
    await Promise.all([flushUsage(), ...others.map((other) => other.keyUsage.flush())]);
  };
  return services;
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
