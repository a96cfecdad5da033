import type Koa from 'koa';

/** Discovery and the programs' endpoints answer pages of any origin: they carry no cookie and give nothing to one. */
export function openToBrowsers(ctx: Koa.Context): void {
  ctx.set('Access-Control-Allow-Origin', '*');
  ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After');
}

/** The answer to a preflight; true when that is what the request was. */
export function answerPreflight(ctx: Koa.Context, methods: string): boolean {
  if (ctx.method !== 'OPTIONS') return false;
  openToBrowsers(ctx);
  ctx.set('Access-Control-Allow-Methods', methods);
  ctx.set('Access-Control-Allow-Headers', 'authorization, content-type, mcp-protocol-version');
  ctx.set('Access-Control-Max-Age', '3600');
  ctx.status = 204;
  return true;
}

export interface OAuthFault {
  readonly error: string;
  readonly description: string;
}

/** An error in the form of RFC 6749. */
export function answerFault(ctx: Koa.Context, status: number, { error, description }: OAuthFault): void {
  openToBrowsers(ctx);
  ctx.status = status;
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'application/json';
  ctx.body = JSON.stringify({ error, error_description: description });
}

export function answerTooMany(ctx: Koa.Context, retryAfterSeconds: number): void {
  ctx.set('Retry-After', String(retryAfterSeconds));
  answerFault(ctx, 429, { error: 'slow_down', description: `Too many requests. Try again in ${retryAfterSeconds} s.` });
}

export function answerMethod(ctx: Koa.Context, allow: string): void {
  ctx.set('Allow', allow);
  answerFault(ctx, 405, { error: 'invalid_request', description: `Method not allowed. Use ${allow}.` });
}
