import type Koa from 'koa';
import type { OriginCheck } from './origin-guard.ts';
import { foreignOrigin } from './origin-guard.ts';

/** Request headers a browser client of this server may send. */
const ALLOW_HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-session-id',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'x-api-key',
  'x-request-id',
  'traceparent',
  'tracestate',
];
/** Answer headers it may read. */
const EXPOSE_HEADERS = 'www-authenticate, mcp-session-id, retry-after, x-request-id';
/** Tools may mirror single arguments in headers of this prefix; CORS knows no wildcards beside credentials. */
const PARAMETER_HEADER = /^mcp-param-[a-z0-9-]{1,64}$/;
const PREFLIGHT_SECONDS = 600;

/** Headers that let a page of an allowed origin read the answer. */
export function corsHeaders(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSE_HEADERS, vary: 'origin' };
}

/** The answer to a preflight of an allowed origin. */
export function preflightHeaders(
  origin: string,
  methods: readonly string[],
  requestedHeaders: string | undefined,
): Record<string, string> {
  const parameters = (requestedHeaders ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => PARAMETER_HEADER.test(name));
  return {
    ...corsHeaders(origin),
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': [...ALLOW_HEADERS, ...parameters].join(', '),
    'access-control-max-age': String(PREFLIGHT_SECONDS),
    vary: 'origin, access-control-request-headers',
  };
}

/** Answers preflights before anything asks for a credential: browsers send none with them. */
export function cors(check: OriginCheck, methods: readonly string[]): Koa.Middleware {
  return (ctx, next) => {
    const origin = ctx.req.headers.origin;
    if (origin === undefined) return next();
    if (!check(origin)) throw foreignOrigin();
    if (ctx.method === 'OPTIONS' && ctx.req.headers['access-control-request-method'] !== undefined) {
      ctx.set(preflightHeaders(origin, methods, ctx.get('access-control-request-headers')));
      ctx.status = 204;
      return undefined;
    }
    ctx.set(corsHeaders(origin));
    return next();
  };
}
