import { randomToken, sha256 } from '../../kernel/secrets.ts';

const PREFIX = 'ovr_';
const SECRET_BYTES = 32;
/** `ovr_` and eight characters: enough to tell keys apart, far too little to guess one. */
const DISPLAY_LENGTH = 12;

export interface NewSecret {
  /** Shown once and then forgotten. */
  readonly secret: string;
  readonly hash: string;
  readonly prefix: string;
}

/** A random secret of 256 bits needs no slow hash: there is nothing to guess from a dictionary. */
export function newSecret(): NewSecret {
  const secret = PREFIX + randomToken(SECRET_BYTES);
  return { secret, hash: sha256(secret), prefix: secret.slice(0, DISPLAY_LENGTH) };
}

/** Refuses anything that cannot be a key before it costs a query. */
export function looksLikeSecret(text: string): boolean {
  return /^ovr_[A-Za-z0-9_-]{43}$/.test(text);
}
