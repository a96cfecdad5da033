import { CallerAccount } from '../context/caller-account.ts';
import { claimsToBeAccessToken, looksLikeAccessToken } from '../domain/identity/index.ts';
import type { OAuthAccess, OAuthTokensService } from '../domain/identity/index.ts';
import type { InboundCall, PresentedCredential } from '../http/inbound.ts';
import type { Authenticate, AuthenticatedCaller, AuthenticationDenial, AuthenticationResult } from './authenticate.ts';
import { invalidTokenChallenge, missingScopeChallenge, signInChallenge } from './challenge.ts';

export interface OAuthAuthenticatorParts {
  /** For everything that is no OAuth token. */
  readonly keys: Authenticate;
  readonly tokens: Pick<OAuthTokensService, 'findAccess' | 'findOwner'>;
  /** The canonical resource: tokens for another one are not for us. */
  readonly resource: string;
}

/**
 * Adds OAuth to API keys, for the MCP endpoint alone. A token is looked up on every request and never remembered: what
 * a person revokes is refused by the next call, on every process.
 */
export function createOAuthAuthenticator(parts: OAuthAuthenticatorParts): Authenticate {
  const { keys, tokens, resource } = parts;
  const metadataUrl = resourceMetadataUrls(resource);
  const tokenCaller = async (call: InboundCall, { token, sha256 }: PresentedCredential) => {
    const wellFormed = looksLikeAccessToken(token);
    const access = wellFormed ? await tokens.findAccess(sha256) : undefined;
    if (access !== undefined && access.resource === resource)
      return { principal: toCaller(access, call, metadataUrl(call)) };
    const owner = wellFormed ? await tokens.findOwner(sha256) : undefined;
    const about = owner && { about: { subject: owner.accountId, credentialId: owner.grantId } };
    return { denial: { ...REFUSED, challenge: invalidTokenChallenge(metadataUrl(call)), ...about } };
  };
  /** A key in a header of its own shows that no OAuth is wanted: a Bearer challenge would send such a client astray. */
  const withChallenge = (answer: AuthenticationResult, call: InboundCall): AuthenticationResult => {
    if (!('denial' in answer) || answer.denial.status !== 401 || call.credential?.source === 'x-api-key') return answer;
    const challenge = call.credential === undefined ? signInChallenge : invalidTokenChallenge;
    return { denial: { ...answer.denial, challenge: challenge(metadataUrl(call)) } };
  };
  return (call) => {
    const { credential } = call;
    if (credential !== undefined && claimsToBeAccessToken(credential.token)) return tokenCaller(call, credential);
    const answer = keys(call);
    return answer instanceof Promise ? answer.then((late) => withChallenge(late, call)) : withChallenge(answer, call);
  };
}

const REFUSED = {
  status: 401,
  code: 'authentication_failed',
  message: 'This access token has expired or was revoked. Refresh it or connect again.',
} as const;

function toCaller(access: OAuthAccess, call: InboundCall, metadataUrl: string): AuthenticatedCaller {
  const { accountId, grantId, scopes } = access;
  const permissions = { read: scopes.includes('overmind:read'), write: scopes.includes('overmind:write') };
  const account = new CallerAccount(call, { accountId, credential: { kind: 'oauth', id: grantId }, permissions });
  const stepUp = (permission: 'read' | 'write'): AuthenticationDenial => ({
    status: 403,
    code: 'permission_denied',
    message: `This connection was not granted the ${permission} permission. Ask the person for it.`,
    challenge: missingScopeChallenge(metadataUrl, [...new Set([...scopes, `overmind:${permission}`])].toSorted()),
  });
  return { account, subject: accountId, credentialId: grantId, permissions, stepUp };
}

/** The description of this resource in the spelling the client used: clients compare the two. */
function resourceMetadataUrls(resource: string): (call: InboundCall) => string {
  const { origin, pathname } = new URL(resource);
  const slashed = `${origin}/.well-known/oauth-protected-resource${pathname}`;
  const bare = slashed.replace(/\/$/, '');
  return ({ path }) => (path.endsWith('/') ? slashed : bare);
}
