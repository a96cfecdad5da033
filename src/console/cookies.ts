import type Koa from 'koa';

export interface CookieNames {
  readonly session: string;
  /** Ties the forms of someone who is not signed in to their browser. */
  readonly visitor: string;
}

const VALUE = /^[A-Za-z0-9_-]{1,128}$/;

/** Over https the prefix makes browsers refuse such a cookie from a subdomain or without Secure. */
export function cookieNames(isHttps: boolean): CookieNames {
  const prefix = isHttps ? '__Host-' : '';
  return { session: `${prefix}overmind_session`, visitor: `${prefix}overmind_visitor` };
}

/** The value of one cookie; undefined when it is absent or not of a form we give out. */
export function readCookie(ctx: Koa.Context, name: string): string | undefined {
  for (const pair of ctx.get('cookie').split(';')) {
    const at = pair.indexOf('=');
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    return VALUE.test(value) ? value : undefined;
  }
  return undefined;
}

export interface CookieOptions {
  readonly isHttps: boolean;
  /** Absent: until the browser closes. */
  readonly expires?: Date;
}

export function setCookie(ctx: Koa.Context, name: string, value: string, { isHttps, expires }: CookieOptions): void {
  const parts = [
    `${name}=${value}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(isHttps ? ['Secure'] : []),
    ...(expires === undefined ? [] : [`Expires=${expires.toUTCString()}`]),
  ];
  ctx.append('Set-Cookie', parts.join('; '));
}

export function dropCookie(ctx: Koa.Context, name: string, isHttps: boolean): void {
  setCookie(ctx, name, '', { isHttps, expires: new Date(0) });
}
