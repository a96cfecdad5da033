import { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import type { OAuthAddresses } from './settings.ts';

/** What the library may see of a request. Everything else, forwarded headers and other cookies above all, stays outside. */
const PASSED = ['accept', 'accept-language', 'authorization', 'content-type', 'origin', 'user-agent'];
const COOKIE_PREFIX = 'overmind_oauth_';

export interface InnerRequest {
  readonly method?: string;
  /** Path and query. */
  readonly url: string;
  readonly body?: string;
  /** The sign-in of the library itself is never carried over from one request to the next. */
  readonly cookies: 'none' | 'interaction';
}

/**
 * A request made anew for the library: its address is the public one whatever Host or X-Forwarded-* said, its body is
 * the one that was read and checked here.
 */
export function innerRequest(ctx: Koa.Context, inner: InnerRequest, { origin }: OAuthAddresses): IncomingMessage {
  const { protocol, host } = new URL(origin);
  const request = new IncomingMessage(ctx.req.socket);
  request.method = inner.method ?? ctx.method;
  request.url = inner.url;
  request.httpVersion = ctx.req.httpVersion;
  for (const name of [...PASSED, 'access-control-request-method', 'access-control-request-headers']) {
    const value = ctx.req.headers[name];
    if (value !== undefined) request.headers[name] = value;
  }
  request.headers.host = host;
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  const cookies = inner.cookies === 'none' ? '' : interactionCookies(ctx.req.headers.cookie);
  if (cookies !== '') request.headers.cookie = cookies;
  if (inner.body !== undefined) {
    request.headers['content-length'] = String(Buffer.byteLength(inner.body));
    request.push(inner.body);
  }
  request.complete = true;
  request.push(null);
  return request;
}

function interactionCookies(header: string | undefined): string {
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(COOKIE_PREFIX) && !pair.startsWith(`${COOKIE_PREFIX}session`))
    .join('; ');
}

export const COOKIE_NAMES = {
  session: `${COOKIE_PREFIX}session`,
  interaction: `${COOKIE_PREFIX}interaction`,
  resume: `${COOKIE_PREFIX}resume`,
} as const;
