import type Koa from 'koa';
import { Refusal } from '../http/refusal.ts';
import { equalsInConstantTime, hmacSha256 } from '../kernel/secrets.ts';

/** Makes and checks the token in each form. It belongs to one session, or to one visitor who is not signed in. */
export class Csrf {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  tokenOf(owner: string): string {
    return hmacSha256(this.#key, `csrf:${owner}`).toString('base64url');
  }

  check(owner: string, presented: string): void {
    if (equalsInConstantTime(this.tokenOf(owner), presented)) return;
    throw new Refusal(
      403,
      'permission_denied',
      'This form is too old. Go back, load the page again and send it once more.',
    );
  }
}

/**
 * Refuses a form that another site made the browser send. A browser says where it comes from in `Origin` and
 * `Sec-Fetch-Site`; the host was checked before, so an origin of that same host is ours whatever proxy stands between.
 */
export function requireSameOrigin(ctx: Koa.Context, origins: readonly string[]): void {
  const site = ctx.get('sec-fetch-site');
  const origin = ctx.get('origin');
  const isForeign =
    (site !== '' && site !== 'same-origin') ||
    (origin !== '' && !origins.includes(origin.toLowerCase()) && !isOwnHost(origin, ctx.get('host')));
  if (isForeign) throw new Refusal(403, 'origin_not_allowed', 'Forms are taken from pages of this server only.');
}

function isOwnHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
