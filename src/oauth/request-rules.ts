import type { KoaContextWithOIDC } from 'oidc-provider';
import type { OAuthErrors } from './library.ts';
import { canonicalResource, OAUTH_SCOPES, type OAuthAddresses } from './settings.ts';

/** SHA-256 as base64url is this long, so a challenge of another length could never be met. */
const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const KNOWN_SCOPES: ReadonlySet<string> = new Set(OAUTH_SCOPES);

/**
 * What must hold of every authorization request once its client and redirect address are known, so that the refusal
 * goes back to the client: one resource, which is ours, scopes we have, a challenge that can be met. Answers the
 * canonical resource.
 */
export function requireLegalRequest(
  ctx: KoaContextWithOIDC,
  resource: string | undefined,
  { addresses, errors }: { readonly addresses: OAuthAddresses; readonly errors: OAuthErrors },
): string {
  const { params, route } = ctx.oidc;
  const canonical = resource === undefined ? undefined : canonicalResource(resource, addresses);
  if (canonical === undefined || Array.isArray(params?.['resource'])) {
    throw new errors.InvalidTarget(`resource must be ${addresses.resource}`);
  }
  if (route !== 'authorization') return canonical;
  const scopes = textOf(params?.['scope']).split(' ');
  if (!scopes.every((scope) => KNOWN_SCOPES.has(scope))) {
    throw new errors.InvalidScope(`scope must be one or both of ${OAUTH_SCOPES.join(' ')}`, '');
  }
  if (!S256_CHALLENGE.test(textOf(params?.['code_challenge']))) {
    throw new errors.InvalidRequest('code_challenge must be the S256 of a verifier, 43 characters');
  }
  return canonical;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
