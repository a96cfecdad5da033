import Koa from 'koa';
import type { RequestListener } from 'node:http';
import { endpointParameters, endpointRequest, endpointResponse } from '../../generated/validators/index.ts';
import type { AccountContext } from '../context/account-context.ts';
import { accessLog, createAccessLog } from '../http/access-log.ts';
import { createClientIp } from '../http/client-ip.ts';
import { cors } from '../http/cors.ts';
import { errorBoundary } from '../http/error-boundary.ts';
import { createHostCheck, hostGuard } from '../http/host-guard.ts';
import { createOriginCheck } from '../http/origin-guard.ts';
import { createMemoryRateLimiter, type RateLimiter } from '../http/rate-limit.ts';
import { Refusal } from '../http/refusal.ts';
import { createRequestIds, requestId } from '../http/request-id.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { deriveKey } from '../kernel/secrets.ts';
import { createMcp, type Mcp } from '../mcp/create-mcp.ts';
import type { OAuth } from '../oauth/create-oauth.ts';
import { createRouter } from '../rest/router.ts';
import type { Console } from '../console/index.ts';
import { consoleOf } from './console.ts';
import type { ProcessMetrics } from './metrics.ts';
import { oauthOf, openaiChallenge, type OAuthOptions } from './oauth.ts';
import type { Product } from './product.ts';
import { sessionAccessOf } from './session-access.ts';
import type { Services } from './services.ts';
import { sharedLimits } from './shared-limits.ts';

export interface App {
  readonly listener: RequestListener;
  /** Loads what only some requests need; call it once the server listens. */
  warm(): Promise<void>;
  /** Ends open streams; call it once the server has stopped accepting. */
  close(): Promise<void>;
}

export interface AppParts {
  readonly services: Services;
  readonly product: Product;
  readonly metrics: ProcessMetrics;
  /** Makes an undeclared error of a tool loud; for finding contract faults. */
  readonly strictErrors?: boolean;
  readonly oauth?: OAuthOptions;
}

/** What both surfaces guard with. */
interface Guards {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly rateLimiter: RateLimiter | undefined;
  /** Of refused credentials, one for each surface. */
  readonly makeFailureLimiter: (surface: string) => RateLimiter;
}

/** Refused credentials per address, minute and surface, so that guessing stays slow behind any number of connections. */
const FAILURES = { points: 100, seconds: 60 };
const HSTS_SECONDS = 31_536_000;

/** The whole HTTP surface: MCP in front, with guards of its own, and Koa behind it for programs, people and operators. */
export function createApp(parts: AppParts): App {
  const { config, addresses } = parts.services;
  const { rateLimitRequests: points, rateLimitSeconds: seconds } = config;
  const makeLimiter = sharedLimits(parts.services);
  const guards: Guards = {
    allowedHosts: [...config.allowedHosts, new URL(addresses.origin).hostname],
    allowedOrigins: [...config.allowedOrigins, new URL(addresses.frontendUrl).origin],
    rateLimiter: points === 0 ? undefined : createMemoryRateLimiter({ points, seconds }),
    makeFailureLimiter: (surface) => makeLimiter(`refused ${surface}`, FAILURES),
  };
  const mcp = mcpOf(parts, guards);
  const koa = new Koa();
  koa.silent = true;
  const ipOf = createClientIp(config.trustedProxies);
  const clientIp = (ctx: Koa.Context): string => ipOf(ctx.req);
  const console = consoleOf(parts.services, { product: parts.product, mcp, clientIp });
  const oauth = oauthOf(parts.services, { consent: console.consent, ...parts.oauth, clientIp });
  useRest(koa, parts, { ...guards, clientIp, oauth, console });
  const handle = koa.callback();
  return {
    listener: mcp.inFrontOf((request, response) => void handle(request, response)),
    warm: async () => {
      await Promise.all([mcp.warm(), oauth?.warm()]);
    },
    close: async () => {
      parts.product.rest.close();
      await mcp.close();
    },
  };
}

function mcpOf({ services, product, metrics, strictErrors = false }: AppParts, guards: Guards): Mcp<AccountContext> {
  const { config, logger, clock, agentCalls, requestKeys, authenticateMcp, resolveProject } = services;
  return createMcp({
    contract: product.contract,
    handlers: product.handlers,
    readers: product.readers,
    completers: product.completers,
    ...(product.extensions !== undefined && { extensions: product.extensions }),
    ports: {
      authenticate: authenticateMcp,
      resolveProject,
      audit: agentCalls,
      metrics,
      clock,
      logger,
      idempotency: requestKeys,
      jobs: product.jobs.port,
    },
    guards: {
      allowedHosts: guards.allowedHosts,
      allowedOrigins: guards.allowedOrigins,
      trustedProxies: config.trustedProxies,
      failureLimiter: guards.makeFailureLimiter('mcp'),
      ...(guards.rateLimiter !== undefined && { rateLimiter: guards.rateLimiter }),
    },
    accessLog: createAccessLog(logger),
    publishOutputSchema: config.publishOutputSchema,
    fastLane: config.mcpFastLane,
    strictErrors,
    stateKey: deriveKey(services.installationSecret, 'mcp-state'),
  });
}

interface RestGuards extends Guards {
  readonly clientIp: (ctx: Koa.Context) => string;
  readonly oauth: OAuth | undefined;
  readonly console: Console;
}

function useRest(koa: Koa, { services, product }: AppParts, guards: RestGuards): void {
  const { config, logger, addresses, authenticate } = services;
  const { rateLimiter, clientIp, oauth, console } = guards;
  const isHttps = addresses.origin.startsWith('https:');
  koa.use(requestId(createRequestIds()));
  koa.use(accessLog(createAccessLog(logger), clientIp));
  koa.use(securityHeaders(isHttps ? { strictTransportSeconds: HSTS_SECONDS } : {}));
  koa.use(errorBoundary({ logger, describe: (code) => product.contract.errors[code] }));
  koa.use(hostGuard(createHostCheck(guards.allowedHosts)));
  koa.use(openaiChallenge(config.openaiAppsChallenge));
  if (oauth !== undefined) koa.use(oauth.middleware);
  // Before CORS: its forms come from its own pages, whatever name the browser knows this server by.
  koa.use(console.middleware);
  koa.use(cors(createOriginCheck(guards.allowedOrigins), ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']));
  for (const middleware of product.rest.before) koa.use(middleware);
  koa.use(
    createRouter({
      contracts: product.rest.contracts,
      handlers: product.rest.handlers,
      validators: {
        parameters: endpointParameters,
        request: endpointRequest,
        response: endpointResponse,
      },
      authenticate,
      sessions: sessionAccessOf(services),
      failureLimiter: guards.makeFailureLimiter('rest'),
      clientIp,
      ...(rateLimiter !== undefined && { rateLimiter }),
    }),
  );
  koa.use(() => {
    throw new Refusal(404, 'resource_not_found', 'Nothing answers at this address. MCP is served at /api/mcp/.');
  });
}
