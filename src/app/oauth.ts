import type Koa from 'koa';
import { surfaces } from '../../generated/rest/surfaces.ts';
import type { ConsentPort } from '../oauth/consent-port.ts';
import { createOAuth, type OAuth } from '../oauth/create-oauth.ts';
import type { FetchDocument } from '../oauth/guarded-fetch.ts';
import type { Services } from './services.ts';
import { sharedLimits } from './shared-limits.ts';

export interface OAuthOptions {
  /** Draws sign-in and consent: `plain` pages of its own, or whoever fills the port. The Console, when absent. */
  readonly consent?: ConsentPort | 'plain';
  /** Gets client documents; absent: from the public internet. */
  readonly fetchDocument?: FetchDocument;
}

/** The authorization server, when the installation has a public address; clients could not find it otherwise. */
export function oauthOf(
  services: Services,
  options: OAuthOptions & { readonly clientIp: (ctx: Koa.Context) => string },
): OAuth | undefined {
  const { consent, ...rest } = options;
  const { config, addresses, oauth, accounts, agentCalls, installationSecret, clock, logger } = services;
  if (config.mcpServerUrl === undefined) return undefined;
  return createOAuth({
    ...oauth,
    ...rest,
    ...(consent !== undefined && consent !== 'plain' && { consent }),
    addresses: { origin: addresses.origin, resource: config.mcpServerUrl },
    accounts,
    audit: agentCalls,
    makeLimiter: sharedLimits(services),
    installationSecret,
    clock,
    logger,
  });
}

/** Proves to an app directory that the address is ours. */
export function openaiChallenge(text: string | undefined): Koa.Middleware {
  return (ctx, next) => {
    if (text === undefined || ctx.path !== surfaces.directories.openai_apps_challenge.path) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    ctx.type = 'text/plain';
    ctx.body = text;
    return undefined;
  };
}
