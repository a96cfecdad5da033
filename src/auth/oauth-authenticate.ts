import type { AccountContext } from '../context/account-context.ts';
import { claimsToBeAccessToken, looksLikeAccessToken } from '../domain/identity/index.ts';
import type { OAuthAccess, OAuthTokensService } from '../domain/identity/index.ts';
import type { InboundCall } from '../http/inbound.ts';
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
  const metadataUrl = (call: InboundCall): string => resourceMetadataUrl(resource, call.path);
  return async (call) => {
    const { credential } = call;
    if (credential !== undefined && claimsToBeAccessToken(credential.token)) {
      const access = looksLikeAccessToken(credential.token) ? await tokens.findAccess(credential.sha256) : undefined;
      if (access !== undefined && access.resource === resource)
        return { principal: toCaller(access, call, metadataUrl(call)) };
      const owner = looksLikeAccessToken(credential.token) ? await tokens.findOwner(credential.sha256) : undefined;
      const about = owner && { about: { subject: owner.accountId, credentialId: owner.grantId } };
      return { denial: { ...REFUSED, challenge: invalidTokenChallenge(metadataUrl(call)), ...about } };
    }
    return withChallenge(await keys(call), call, metadataUrl(call));
  };
}

const REFUSED = {
  status: 401,
  code: 'authentication_failed',
  message: 'This access token has expired or was revoked. Refresh it or connect again.',
} as const;

/** A key in a header of its own shows that no OAuth is wanted: a Bearer challenge would send such a client astray. */
function withChallenge(answer: AuthenticationResult, call: InboundCall, metadataUrl: string): AuthenticationResult {
  if (!('denial' in answer) || answer.denial.status !== 401 || call.credential?.source === 'x-api-key') return answer;
  const challenge = call.credential === undefined ? signInChallenge(metadataUrl) : invalidTokenChallenge(metadataUrl);
  return { denial: { ...answer.denial, challenge } };
}

function toCaller(access: OAuthAccess, call: InboundCall, metadataUrl: string): AuthenticatedCaller {
  const { accountId, grantId, scopes } = access;
  const permissions = { read: scopes.includes('overmind:read'), write: scopes.includes('overmind:write') };
  const account: AccountContext = {
    accountId,
    credential: { kind: 'oauth', id: grantId },
    permissions,
    clientIp: call.clientIp,
    requestId: call.requestId,
    get signal() {
      return call.signal;
    },
  };
  const stepUp = (permission: 'read' | 'write'): AuthenticationDenial => ({
    status: 403,
    code: 'permission_denied',
    message: `This connection was not granted the ${permission} permission. Ask the person for it.`,
    challenge: missingScopeChallenge(metadataUrl, [...new Set([...scopes, `overmind:${permission}`])].toSorted()),
  });
  return { account, subject: accountId, credentialId: grantId, permissions, stepUp };
}

/** The description of this resource in the spelling the client used: clients compare the two. */
function resourceMetadataUrl(resource: string, path: string): string {
  const { origin, pathname } = new URL(resource);
  const spelt = path.endsWith('/') ? pathname : pathname.replace(/\/$/, '');
  return `${origin}/.well-known/oauth-protected-resource${spelt}`;
}
