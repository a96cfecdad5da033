import type { Provider } from 'oidc-provider';
import type Koa from 'koa';
import type { AccountsService, OAuthKeysService, OAuthStore, OAuthTokensService } from '../domain/identity/index.ts';
import type { MakeLimiter } from '../http/rate-limit.ts';
import { MINUTE_MS } from '../kernel/duration.ts';
import { monotonicMs, type Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { deriveKey } from '../kernel/secrets.ts';
import type { ConsentPort } from './consent-port.ts';
import { Endpoints } from './endpoints.ts';
import { createGuardedFetch, type FetchDocument } from './guarded-fetch.ts';
import { innerRequest } from './inner-request.ts';
import { FormTokens } from './interaction-guard.ts';
import { Interaction } from './interaction.ts';
import { OAuthLimits } from './limits.ts';
import { createMetadata } from './metadata.ts';
import { openProvider } from './open-provider.ts';
import { createPlainConsent } from './plain-consent.ts';
import { Refusals, type RefusalsParts } from './refusals.ts';
import { OAUTH_ROUTES } from './routes.ts';
import type { OAuthAddresses } from './settings.ts';

export interface OAuthParts {
  readonly addresses: OAuthAddresses;
  readonly store: OAuthStore;
  readonly tokens: OAuthTokensService;
  readonly keys: OAuthKeysService;
  readonly accounts: Pick<AccountsService, 'verifyPassword' | 'get'>;
  /** The same on every process of the installation. */
  readonly installationSecret: string;
  readonly clientIp: (ctx: Koa.Context) => string;
  /** Takes refused uses of tokens. */
  readonly audit: RefusalsParts['audit'];
  readonly clock: Clock;
  readonly logger: Logger;
  /** For limits that hold in all processes together; absent: each counts for itself. */
  readonly makeLimiter?: MakeLimiter;
  /** Draws the pages; absent: plain ones with a sign-in of their own. */
  readonly consent?: ConsentPort;
  /** Gets client documents; absent: from the public internet, guarded. */
  readonly fetchDocument?: FetchDocument;
}

export interface OAuth {
  readonly middleware: Koa.Middleware;
  /** Loads the library and the keys; the first request would otherwise wait for them. */
  warm(): Promise<void>;
}

/** How soon a running process takes up rotated keys. */
const KEYS_FOR_MS = MINUTE_MS;
const RESUME = new RegExp(`^${OAUTH_ROUTES.authorize.path}/[A-Za-z0-9_-]{20,64}$`);

/** The authorization server as one middleware that takes its own paths and passes every other on. */
export function createOAuth(parts: OAuthParts): OAuth {
  const { addresses, installationSecret, clientIp, tokens } = parts;
  const limits = new OAuthLimits(clientIp, parts.makeLimiter);
  const formTokens = new FormTokens(deriveKey(installationSecret, 'oauth-forms'));
  const key = deriveKey(installationSecret, 'oauth-sign-in');
  const consent = parts.consent ?? createPlainConsent({ ...parts, limits, formTokens, key });
  const metadata = createMetadata(addresses);
  const endpoints = new Endpoints({ addresses, limits, consent });
  const interaction = new Interaction({ addresses, consent, tokens, formTokens });
  const refusals = new Refusals(parts);
  const providers = new Providers({ ...parts, refusals }, consent);
  const prepare = preparer(endpoints);
  const middleware: Koa.Middleware = async (ctx, next) => {
    if (metadata(ctx)) return undefined;
    if (interaction.serves(ctx)) return interaction.handle(ctx, await providers.current());
    const prepared = prepare(ctx);
    if (prepared === undefined) return next();
    const inner = await prepared;
    if (inner === undefined) return undefined;
    const provider = await providers.current();
    void parts.store.sweepWhenDue().catch((error: unknown) => parts.logger.warn('OAuth rows not swept', { error }));
    ctx.respond = false;
    return provider.callback()(refusals.follow(innerRequest(ctx, inner, addresses), ctx), ctx.res);
  };
  return {
    middleware,
    async warm() {
      await providers.current();
    },
  };
}

function preparer(endpoints: Endpoints): (ctx: Koa.Context) => ReturnType<Endpoints['token']> | undefined {
  return (ctx) => {
    switch (ctx.path) {
      case OAUTH_ROUTES.authorize.path:
        return endpoints.authorize(ctx);
      case OAUTH_ROUTES.token.path:
        return endpoints.token(ctx);
      case OAUTH_ROUTES.register.path:
        return endpoints.register(ctx);
      case OAUTH_ROUTES.revoke.path:
        return endpoints.revoke(ctx);
      case OAUTH_ROUTES.jwks.path:
        return endpoints.jwks(ctx);
      default:
        return RESUME.test(ctx.path) && ctx.method === 'GET' ? endpoints.resume(ctx) : undefined;
    }
  };
}

/** The library's instance for the keys in force. Looks for rotated keys once a minute, while requests go on with the old. */
class Providers {
  readonly #parts: OAuthParts & { readonly refusals: Refusals };
  readonly #consent: ConsentPort;
  #opened: { readonly version: string; readonly provider: Promise<Provider> } | undefined;
  #looking: Promise<Provider> | undefined;
  #lookAfterMs = 0;

  constructor(parts: OAuthParts & { readonly refusals: Refusals }, consent: ConsentPort) {
    this.#parts = parts;
    this.#consent = consent;
  }

  current(): Promise<Provider> {
    if (this.#opened !== undefined && monotonicMs() < this.#lookAfterMs) return this.#opened.provider;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<Provider> {
    const keys = await this.#parts.keys.getOrCreate();
    this.#lookAfterMs = monotonicMs() + KEYS_FOR_MS;
    if (this.#opened?.version !== keys.version) {
      const { fetchDocument = createGuardedFetch() } = this.#parts;
      const provider = openProvider({ ...this.#parts, consent: this.#consent, fetchDocument }, keys);
      this.#opened = { version: keys.version, provider };
    }
    return this.#opened.provider;
  }
}
