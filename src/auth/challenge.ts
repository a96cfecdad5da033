/**
 * The challenge of a 401. It names the header a key goes into, and deliberately is no Bearer challenge: several clients
 * answer one of those by registering themselves at an authorization server, and end in an error about that instead.
 */
export const API_KEY_CHALLENGE = 'ApiKey realm="overmind", header="X-Api-Key"';

/** Least privilege: a client that is told nothing else asks for this. */
const FIRST_SCOPE = 'overmind:read';

/** Where OAuth is on: how a client without a credential gets one. */
export function signInChallenge(metadataUrl: string): string {
  return `Bearer resource_metadata="${metadataUrl}", scope="${FIRST_SCOPE}"`;
}

export function invalidTokenChallenge(metadataUrl: string): string {
  return `Bearer error="invalid_token", error_description="The token is unknown, expired or revoked", resource_metadata="${metadataUrl}", scope="${FIRST_SCOPE}"`;
}

/** Of a 403: the least set of scopes that keeps what the client has and adds what it lacks. */
export function missingScopeChallenge(metadataUrl: string, scopes: readonly string[]): string {
  return `Bearer error="insufficient_scope", error_description="The operation needs a scope that was not granted", scope="${scopes.join(' ')}", resource_metadata="${metadataUrl}"`;
}
