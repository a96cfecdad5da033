import type { TokenEndpointGrantContext } from 'oidc-provider';
import type { OAuthTokensService } from '../domain/identity/index.ts';
import type { OAuthErrors } from './library.ts';
import type { Refusals } from './refusals.ts';

export const REFRESH_PARAMETERS = ['refresh_token', 'scope', 'resource'] as const;

/**
 * The refresh grant, in place of the library's: rotation, its grace and the end of a family are one transaction in
 * the domain, which the library's find-then-consume cannot be.
 */
export function createRefreshGrant(
  tokens: OAuthTokensService,
  { errors, refusals }: { readonly errors: OAuthErrors; readonly refusals: Refusals },
): (ctx: TokenEndpointGrantContext<Record<string, unknown>>) => Promise<void> {
  return async (ctx) => {
    const { params, client } = ctx.oidc;
    const { refresh_token: token, scope } = params;
    if (typeof token !== 'string' || token === '') throw new errors.InvalidRequest('refresh_token is missing');
    const scopes = typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : undefined;
    const answer = await tokens.refresh({
      token,
      clientId: client.clientId,
      ...(scopes !== undefined && scopes.length > 0 && { scopes }),
    });
    if ('refused' in answer) {
      refusals.noteRefresh(ctx.req, answer);
      throw refusal(answer.refused, errors);
    }
    const { accessToken, refreshToken, expiresInSeconds, scopes: granted } = answer.tokens;
    ctx.body = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
      refresh_token: refreshToken,
      scope: granted.join(' '),
    };
  };
}

function refusal(why: 'unknown' | 'scope' | 'reused', errors: OAuthErrors): Error {
  if (why === 'scope') return new errors.InvalidScope('the refresh token does not hold the requested scope', '');
  return new errors.InvalidGrant(why === 'reused' ? 'refresh token already used' : 'refresh token not found');
}
