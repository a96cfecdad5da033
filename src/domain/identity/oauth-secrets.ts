import { createHmac } from 'node:crypto';
import { randomToken } from '../../kernel/secrets.ts';

const ACCESS_PREFIX = 'om_oauth_';
const REFRESH_PREFIX = 'om_refresh_';
const TOKEN_BYTES = 48;
/** 48 bytes as base64url. */
const TOKEN_SHAPE = /^om_oauth_[A-Za-z0-9_-]{64}$/;

export function newAccessToken(): string {
  return ACCESS_PREFIX + randomToken(TOKEN_BYTES);
}

export function newRefreshToken(): string {
  return REFRESH_PREFIX + randomToken(TOKEN_BYTES);
}

/** Refuses anything that cannot be an access token before it costs a query. */
export function looksLikeAccessToken(text: string): boolean {
  return TOKEN_SHAPE.test(text);
}

/** Whether the bearer says it is one of ours, whole or cut. */
export function claimsToBeAccessToken(text: string): boolean {
  return text.startsWith(ACCESS_PREFIX);
}

/**
 * The tokens that follow a refresh token. They are computed, not drawn: a repeated refresh within the grace gets the
 * same answer again although nothing but hashes is stored. Without both the old token and the installation's secret
 * nobody can compute them.
 */
export class TokenSuccession {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  refreshAfter(token: string): string {
    return REFRESH_PREFIX + this.#derive('refresh', token);
  }

  accessAfter(token: string, scopes: readonly string[]): string {
    return ACCESS_PREFIX + this.#derive(`access ${scopes.join(' ')}`, token);
  }

  #derive(purpose: string, token: string): string {
    return createHmac('sha384', this.#key).update(`${purpose}\n${token}`).digest('base64url');
  }
}
