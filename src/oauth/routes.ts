import { surfaces } from '../../generated/rest/surfaces.ts';

const { oauth } = surfaces;

/** Addresses of the authorization server, from the register that says of each how it stands to agents. */
export const OAUTH_ROUTES = {
  authorize: oauth.oauth_authorize,
  token: oauth.oauth_token,
  register: oauth.oauth_register,
  revoke: oauth.oauth_revoke,
  jwks: oauth.oauth_jwks,
  serverMetadata: oauth.oauth_server_metadata,
  resourceMetadata: oauth.oauth_resource_metadata,
} as const;

/** The consent page of one interaction. */
export function interactionPath(interaction: string): string {
  return oauth.oauth_consent.path.replace('{interaction}', interaction);
}
