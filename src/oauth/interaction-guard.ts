import type { IncomingHttpHeaders } from 'node:http';
import { equalsInConstantTime, hmacSha256 } from '../kernel/secrets.ts';

/** The token of a form: good for one request, one person and one session, and for one use of the form. */
export class FormTokens {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  make(...bound: readonly string[]): string {
    return hmacSha256(this.#key, bound.join('\n')).toString('base64url');
  }

  isGood(token: string | undefined, ...bound: readonly string[]): boolean {
    return token !== undefined && equalsInConstantTime(token, this.make(...bound));
  }
}

/**
 * Whether a POST comes from a page of this origin. Browsers say so in two ways that pages cannot forge; a request
 * that says neither comes from no browser, and then has no person's cookie to abuse.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  return (headers.origin === undefined || headers.origin === origin) && (site === undefined || site === 'same-origin');
}
