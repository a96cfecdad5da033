import { sha256 } from '../kernel/secrets.ts';
import type { Authenticator, Denial, Principal } from '../mcp/ports.ts';

/** One API key and whom it stands for. */
export interface CallerKey<A> {
  /** The secret that callers send in `X-Api-Key` or as a bearer token. */
  readonly key: string;
  /** Stable name of who calls; stands in the audit and seals page cursors. */
  readonly subject: string;
  /** `write` reads as well. */
  readonly permission: 'read' | 'write';
  /** What handlers get as their context. */
  readonly account: A;
}

/** Lets callers in by API key. Keys are compared by digest, so that time tells nothing about them. */
export function keyAuthenticator<A>(keys: readonly CallerKey<A>[]): Authenticator<A> {
  const principals = new Map(keys.map((entry) => [sha256(entry.key), principalOf(entry)]));
  return ({ credential }) => {
    if (credential === undefined) return refuse('authentication_required', 'Send an API key in X-Api-Key.');
    const principal = principals.get(credential.sha256);
    return principal === undefined ? refuse('authentication_failed', 'The API key is not known here.') : { principal };
  };
}

/** Lets everybody in as one caller; for a server that only its own machine can reach. */
export function anyCaller<A>(account: A): Authenticator<A> {
  const principal: Principal<A> = {
    account,
    subject: 'anyone',
    credentialId: 'none',
    permissions: { read: true, write: true },
  };
  return () => ({ principal });
}

function principalOf<A>({ key, subject, permission, account }: CallerKey<A>): Principal<A> {
  return {
    account,
    subject,
    credentialId: sha256(key).slice(0, 12),
    permissions: { read: true, write: permission === 'write' },
  };
}

function refuse(code: string, message: string): { readonly denial: Denial } {
  return { denial: { status: 401, code, message, challenge: 'Bearer' } };
}
