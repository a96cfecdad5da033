import type Koa from 'koa';
import { answerMethod, answerPreflight, openToBrowsers } from './answers.ts';
import { OAUTH_ROUTES } from './routes.ts';
import { OAUTH_SCOPES, type OAuthAddresses } from './settings.ts';

const RESOURCE_NAME = 'Overmind';

/**
 * Discovery. The description of the protected resource is served under three spellings; clients compare its `resource`
 * with the address the person typed, some as a prefix and some exactly, so each spelling names itself.
 */
export function createMetadata(addresses: OAuthAddresses): (ctx: Koa.Context) => boolean {
  const documents = new Map<string, string>([
    [OAUTH_ROUTES.serverMetadata.path, JSON.stringify(serverMetadata(addresses))],
    ...resourcePaths(addresses).map(
      ({ path, resource }) => [path, JSON.stringify(resourceMetadata(resource, addresses))] as const,
    ),
  ]);
  return (ctx) => {
    const document = documents.get(ctx.path);
    if (document === undefined) return false;
    if (answerPreflight(ctx, 'GET')) return true;
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      answerMethod(ctx, 'GET');
      return true;
    }
    openToBrowsers(ctx);
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.type = 'application/json';
    ctx.body = document;
    return true;
  };
}

function resourcePaths({ resource }: OAuthAddresses): readonly { readonly path: string; readonly resource: string }[] {
  const root = OAUTH_ROUTES.resourceMetadata.path;
  const { pathname } = new URL(resource);
  const plain = resource.replace(/\/$/, '');
  return [
    { path: root, resource: plain },
    { path: root + pathname.replace(/\/$/, ''), resource: plain },
    { path: root + pathname, resource },
  ];
}

function resourceMetadata(resource: string, { origin }: OAuthAddresses) {
  return {
    resource,
    authorization_servers: [origin],
    scopes_supported: OAUTH_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: RESOURCE_NAME,
  };
}

function serverMetadata({ origin }: OAuthAddresses) {
  const at = (path: string): string => `${origin}${path}`;
  return {
    issuer: origin,
    authorization_endpoint: at(OAUTH_ROUTES.authorize.path),
    token_endpoint: at(OAUTH_ROUTES.token.path),
    registration_endpoint: at(OAUTH_ROUTES.register.path),
    revocation_endpoint: at(OAUTH_ROUTES.revoke.path),
    jwks_uri: at(OAUTH_ROUTES.jwks.path),
    scopes_supported: OAUTH_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [at('/api/mcp'), at('/api/mcp/')],
  };
}
