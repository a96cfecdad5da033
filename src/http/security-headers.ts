import type Koa from 'koa';

/** Headers of every answer to a program, whatever it is. */
export function apiHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
}

const PAGE_SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
} as const;

const STRICT_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export interface SecurityHeaderOptions {
  readonly contentSecurityPolicy?: string;
  /** Sent only when the public address is https: over plain http browsers ignore it, and a proxy might not. */
  readonly strictTransportSeconds?: number;
}

/** Headers for everything a browser may open. */
export function securityHeaders(options: SecurityHeaderOptions = {}): Koa.Middleware {
  const headers: Record<string, string> = {
    ...PAGE_SECURITY_HEADERS,
    'Content-Security-Policy': options.contentSecurityPolicy ?? STRICT_CSP,
  };
  if (options.strictTransportSeconds !== undefined) {
    headers['Strict-Transport-Security'] = `max-age=${options.strictTransportSeconds}; includeSubDomains`;
  }
  return (ctx, next) => {
    ctx.set(headers);
    return next();
  };
}
