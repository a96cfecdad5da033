import Koa from 'koa';
import type { RequestListener } from 'node:http';
import { createAuthenticator } from '../auth/authenticate.ts';
import { createProjectResolver } from '../auth/project-access.ts';
import { accessLog, createAccessLog } from '../http/access-log.ts';
import { createClientIp } from '../http/client-ip.ts';
import { cors } from '../http/cors.ts';
import { errorBoundary } from '../http/error-boundary.ts';
import { createHostCheck, hostGuard } from '../http/host-guard.ts';
import { createOriginCheck } from '../http/origin-guard.ts';
import { createMemoryRateLimiter, type RateLimiter } from '../http/rate-limit.ts';
import { createRequestIds, requestId } from '../http/request-id.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { deriveKey } from '../kernel/secrets.ts';
import { createMcp } from '../mcp/create-mcp.ts';
import { createRouter } from '../rest/router.ts';
import type { ProcessMetrics } from './metrics.ts';
import type { Product } from './product.ts';
import type { Services } from './services.ts';

export interface App {
  readonly listener: RequestListener;
  /** Ends open streams; call it once the server has stopped accepting. */
  close(): Promise<void>;
}

/** One hour of refused credentials per address, so that guessing stays slow behind any number of connections. */
const FAILURES = { points: 100, seconds: 60 };
const HSTS_SECONDS = 31_536_000;

/** The whole HTTP surface: MCP first, with guards of its own, then what is for programs and operators. */
export function createApp(services: Services, product: Product, metrics: ProcessMetrics): App {
  const { config, addresses, logger, clock } = services;
  const authenticate = createAuthenticator(services);
  const allowedHosts = [...config.allowedHosts, new URL(addresses.origin).hostname];
  const allowedOrigins = [...config.allowedOrigins, new URL(addresses.frontendUrl).origin];
  const rateLimiter = limiter(config);
  const mcp = createMcp({
    contract: product.contract,
    handlers: product.handlers,
    readers: product.readers,
    completers: product.completers,
    ...(product.extensions !== undefined && { extensions: product.extensions }),
    ports: {
      authenticate,
      resolveProject: createProjectResolver(services),
      audit: services.agentCalls,
      metrics,
      clock,
      logger,
      idempotency: services.requestKeys,
      ...(product.jobs !== undefined && { jobs: product.jobs }),
    },
    guards: {
      allowedHosts,
      allowedOrigins,
      trustedProxies: config.trustedProxies,
      failureLimiter: createMemoryRateLimiter(FAILURES),
      ...(rateLimiter !== undefined && { rateLimiter }),
    },
    publishOutputSchema: config.publishOutputSchema,
    fastLane: config.mcpFastLane,
    stateKey: deriveKey(services.installationSecret, 'mcp-state'),
  });

  const ipOf = createClientIp(config.trustedProxies);
  const clientIp = (ctx: Koa.Context): string => ipOf(ctx.req);
  const koa = new Koa();
  koa.silent = true;
  koa.use(mcp.middleware);
  koa.use(requestId(createRequestIds()));
  koa.use(accessLog(createAccessLog(logger), clientIp));
  koa.use(securityHeaders(addresses.origin.startsWith('https:') ? { strictTransportSeconds: HSTS_SECONDS } : {}));
  koa.use(errorBoundary({ logger, describe: (code) => product.contract.errors[code] }));
  koa.use(hostGuard(createHostCheck(allowedHosts)));
  koa.use(cors(createOriginCheck(allowedOrigins), ['GET', 'POST']));
  koa.use(
    createRouter({
      contracts: product.endpoints.contracts,
      handlers: product.endpoints.handlers,
      authenticate,
      clientIp,
      ...(rateLimiter !== undefined && { rateLimiter }),
    }),
  );
  koa.use(notFound);
  return { listener: koa.callback(), close: () => mcp.close() };
}
