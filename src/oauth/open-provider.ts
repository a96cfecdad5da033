import type { AccountsService, OAuthKeys, OAuthStore, OAuthTokensService } from '../domain/identity/index.ts';
import { ACCESS_TOKEN_SECONDS, newAccessToken, newRefreshToken } from '../domain/identity/index.ts';
import type { Logger } from '../kernel/logger.ts';
import { randomToken } from '../kernel/secrets.ts';
import { createAdapterFactory } from './adapter.ts';
import { createDocumentFetch, isDocumentId } from './client-documents.ts';
import type { ConsentPort } from './consent-port.ts';
import type { FetchDocument } from './guarded-fetch.ts';
import { COOKIE_NAMES } from './inner-request.ts';
import type { OAuthErrors, OAuthLibrary } from './library.ts';
import { createRefreshGrant, REFRESH_PARAMETERS } from './refresh-grant.ts';
import type { Refusals } from './refusals.ts';
import { requireLegalRequest } from './request-rules.ts';
import { interactionPath, OAUTH_ROUTES } from './routes.ts';
import { CODE_SECONDS, FAR_SECONDS, INTERACTION_SECONDS, OAUTH_SCOPES, type OAuthAddresses } from './settings.ts';
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';

export interface ProviderParts {
  readonly addresses: OAuthAddresses;
  readonly store: OAuthStore;
  readonly tokens: OAuthTokensService;
  readonly accounts: Pick<AccountsService, 'get'>;
  readonly consent: ConsentPort;
  readonly fetchDocument: FetchDocument;
  readonly refusals: Refusals;
  readonly logger: Logger;
}

/** The library with our rules, store and keys. Made again when the keys were rotated. */
export async function openProvider(parts: ProviderParts, keys: OAuthKeys): Promise<Provider> {
  const { addresses, tokens, refusals, logger } = parts;
  const { Provider: Library, errors } = await loadLibrary(logger);
  const provider = new Library(addresses.origin, configuration({ ...parts, errors }, keys));
  // Koa believes X-Forwarded-Proto then; the only one it ever sees is written by `innerRequest`.
  provider.proxy = true;
  provider.silent = true;
  drawOwnValues(provider);
  provider.registerGrantType('refresh_token', createRefreshGrant(tokens, { errors, refusals }), REFRESH_PARAMETERS);
  listen(provider, logger);
  return provider;
}

/**
 * Loaded when first needed, since most installations and all commands run without it. On Node 20 the library prints a
 * notice about its own support policy while it loads; it goes to the log instead of between the log's JSON lines.
 */
async function loadLibrary(logger: Logger): Promise<OAuthLibrary> {
  const output = globalThis.console;
  const warn = output.warn.bind(output);
  output.warn = (...words: unknown[]) => logger.debug('notice of the OAuth library', { notice: words.join(' ') });
  try {
    return await import('oidc-provider');
  } finally {
    output.warn = warn;
  }
}

/** The models are made anew per provider; this method is how they draw their values and settle their format. */
function drawOwnValues(provider: Provider): void {
  Object.defineProperty(provider.AccessToken.prototype, 'generateTokenId', {
    value(this: { format?: string }): string {
      this.format = 'opaque';
      return newAccessToken();
    },
  });
  Object.defineProperty(provider.RefreshToken.prototype, 'generateTokenId', { value: newRefreshToken });
}

interface ConfigurationParts extends ProviderParts {
  readonly errors: OAuthErrors;
}

function configuration(parts: ConfigurationParts, keys: OAuthKeys): Configuration {
  const { accounts, consent } = parts;
  return {
    adapter: createAdapterFactory(parts),
    // because the keys are the JWKs this product made and sealed itself
    jwks: { keys: [...keys.signing] as never },
    cookies: {
      keys: [...keys.cookies],
      names: COOKIE_NAMES,
      long: { signed: true, httpOnly: true, sameSite: 'lax', path: '/oauth/' },
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    clientAuthMethods: ['none'],
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      response_modes: ['query'],
      id_token_signed_response_alg: 'ES256',
      application_type: 'native',
    },
    responseTypes: ['code'],
    scopes: [],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    expiresWithSession: () => false,
    clientBasedCORS: () => true,
    routes: {
      authorization: OAUTH_ROUTES.authorize.path,
      token: OAUTH_ROUTES.token.path,
      registration: OAUTH_ROUTES.register.path,
      revocation: OAUTH_ROUTES.revoke.path,
      jwks: OAUTH_ROUTES.jwks.path,
    },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      // Not kept: the store gives refresh tokens and grants no end.
      RefreshToken: FAR_SECONDS,
      Grant: FAR_SECONDS,
      Interaction: INTERACTION_SECONDS,
      Session: INTERACTION_SECONDS,
      IdToken: ACCESS_TOKEN_SECONDS,
    },
    interactions: { url: (_ctx, { uid }) => interactionPath(uid) },
    findAccount: async (_ctx, id) => {
      const account = await accounts.get(id);
      return account.isActive ? { accountId: account.id, claims: () => ({ sub: account.id }) } : undefined;
    },
    renderError: (ctx, { error, error_description: description }) =>
      consent.showProblem(ctx, {
        status: ctx.status,
        title: 'This connection cannot be made',
        message: `${description ?? error}. Start again from the client.`,
      }),
    fetch: createDocumentFetch(parts.fetchDocument),
    features: features(parts),
  };
}

function features({ addresses, errors }: ConfigurationParts): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    registration: {
      enabled: true,
      issueRegistrationAccessToken: false,
      idFactory: () => `omc_${randomToken(18)}`,
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: (_ctx: KoaContextWithOIDC, id: string) => isDocumentId(id),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (ctx) => requireLegalRequest(ctx, undefined, { addresses, errors }),
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource) => ({
        audience: requireLegalRequest(ctx, resource, { addresses, errors }),
        scope: OAUTH_SCOPES.join(' '),
        accessTokenFormat: 'opaque',
        accessTokenTTL: ACCESS_TOKEN_SECONDS,
      }),
    },
  };
}

/** Refusals at info by their code alone: descriptions may repeat what a stranger sent. */
function listen(provider: Provider, logger: Logger): void {
  const refused = (_ctx: unknown, error: unknown): void => {
    const code = error instanceof Error && 'error' in error ? error.error : undefined;
    logger.info('OAuth request refused', { code });
  };
  provider.on('authorization.error', refused);
  provider.on('grant.error', refused);
  provider.on('registration_create.error', refused);
  provider.on('revocation.error', refused);
  provider.on('server_error', (_ctx, error) => logger.error('OAuth request failed', { error }));
  provider.on('grant.revoked', (_ctx, grantId) => logger.info('OAuth grant revoked', { grantId }));
}
