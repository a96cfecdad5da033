import { randomBytes } from 'node:crypto';
import Koa from 'koa';
import { createAccessLog } from '../http/access-log.ts';
import { openPort } from '../http/open-port.ts';
import { createMemoryRateLimiter, type RateLimit } from '../http/rate-limit.ts';
import { systemClock } from '../kernel/clock.ts';
import { createLogger, type Logger } from '../kernel/logger.ts';
import { createMcp } from '../mcp/create-mcp.ts';
import type { McpGuards, McpOptions } from '../mcp/options.ts';
import type { AuditSink, Authenticator, McpPorts, Metrics, ProjectResolver } from '../mcp/ports.ts';

/** One contract as a server of its own. `A` is what handlers get as account context, `P` as project context. */
export interface ServerOptions<A, P> extends Pick<McpOptions<A, P>, 'contract' | 'handlers'> {
  readonly authenticate: Authenticator<A>;
  /** The generated `ResourceReaders`; needed as soon as a resource has a payload. */
  readonly readers?: object;
  /** The generated `Completers`; needed as soon as an argument or a variable names a completion. */
  readonly completers?: object;
  /** Needed as soon as something says `project: required`; without it no project is found. */
  readonly resolveProject?: ProjectResolver<A, P>;
  /** Address to listen on; default 127.0.0.1, which only this machine reaches. */
  readonly host?: string;
  /** Port to listen on, 0 for any; default 8080. */
  readonly port?: number;
  /** Path that answers; default `/mcp`. */
  readonly path?: string;
  /** Names under which the server is reached from elsewhere; its own machine's names always count. */
  readonly allowedHosts?: McpGuards['allowedHosts'];
  /** Browser origins that may call; default none. */
  readonly allowedOrigins?: McpGuards['allowedOrigins'];
  /** Calls per caller; default no limit. */
  readonly rateLimit?: RateLimit;
  readonly logger?: Logger;
  /** What stands behind the rest of the runtime: audit, metrics, clock, request keys, jobs. */
  readonly ports?: Partial<Pick<McpPorts<A, P>, 'audit' | 'metrics' | 'clock' | 'idempotency' | 'jobs'>>;
  /** Throws on an error that a tool does not declare; for tests. */
  readonly strictErrors?: boolean;
  /** 32 bytes that seal page cursors; give the same to every replica. Default: new ones at each start. */
  readonly stateKey?: Uint8Array;
}

export interface RunningServer {
  /** Where clients connect. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting, lets calls in flight end and closes what is left after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const GRACE_MS = 10_000;
/** Refused credentials per address, so that guessing stays slow. */
const FAILURES: RateLimit = { points: 100, seconds: 60 };
const STATE_KEY_BYTES = 32;

const noAudit: AuditSink = { record: () => undefined };
const noMetrics: Metrics = { operation: () => undefined, refused: () => undefined, deprecated: () => undefined };

/** Serves a contract over HTTP in both protocol generations, with every guard of the runtime, and `/healthz` beside it. */
export async function startServer<A, P = never>(options: ServerOptions<A, P>): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 8080, path = '/mcp', contract } = options;
  const mcp = createMcp(runtimeOptions(options, path));
  const koa = new Koa();
  koa.silent = true;
  koa.use((ctx) => {
    if (ctx.path !== '/healthz') return;
    const { name, version } = contract.server;
    ctx.body = { status: 'ok', name, version, contract_hash: contract.contractHash };
  });
  const server = await openPort({ host, port });
  const handle = koa.callback();
  server.serve(mcp.inFrontOf((request, response) => void handle(request, response)));
  await mcp.warm();
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}${path}`,
    port: server.port,
    close: async (graceMs = GRACE_MS) => {
      const stopped = server.stop(graceMs);
      // Streams have no end of their own, and the server waits for them.
      await mcp.close();
      await stopped;
    },
  };
}

function runtimeOptions<A, P>(options: ServerOptions<A, P>, path: string): McpOptions<A, P> {
  const { contract, handlers, authenticate, ports = {}, rateLimit, logger = createLogger() } = options;
  return {
    contract,
    handlers,
    readers: options.readers ?? {},
    completers: options.completers ?? {},
    paths: path.endsWith('/') ? [path] : [path, `${path}/`],
    ports: {
      authenticate,
      resolveProject: options.resolveProject ?? (() => undefined),
      audit: noAudit,
      metrics: noMetrics,
      clock: systemClock,
      logger,
      ...ports,
    },
    guards: {
      allowedHosts: [...LOCAL_NAMES, ...(options.allowedHosts ?? [])],
      allowedOrigins: options.allowedOrigins ?? [],
      failureLimiter: createMemoryRateLimiter(FAILURES),
      ...(rateLimit === undefined ? {} : { rateLimiter: createMemoryRateLimiter(rateLimit) }),
    },
    accessLog: createAccessLog(logger),
    stateKey: options.stateKey ?? randomBytes(STATE_KEY_BYTES),
    ...(options.strictErrors === undefined ? {} : { strictErrors: options.strictErrors }),
  };
}
