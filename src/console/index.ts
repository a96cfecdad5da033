import type Koa from 'koa';
import type { Attempts } from '../domain/identity/index.ts';
import type { ConsentPort } from '../oauth/consent-port.ts';
import { loadAssets } from './assets.ts';
import { consentPages } from './consent.ts';
import { cookieNames } from './cookies.ts';
import { Csrf } from './csrf.ts';
import { accountPages, type AccountParts } from './pages/account.ts';
import { auditPages } from './pages/audit.ts';
import { catalogPages, type CatalogPagesParts } from './pages/catalog.ts';
import { connectionPages, type ConnectionPagesParts } from './pages/connections.ts';
import { datasetPages } from './pages/datasets.ts';
import { jobPages, type JobPagesParts } from './pages/jobs.ts';
import { keyPages, type KeyPagesParts } from './pages/keys.ts';
import { projectPages, type ProjectPagesParts } from './pages/projects.ts';
import { sessionPages } from './pages/sessions.ts';
import { signInPages } from './pages/sign-in.ts';
import { tracePages } from './pages/traces.ts';
import { createRouter, type RouterParts } from './router.ts';
import { loadViews } from './views.ts';

export type ConsoleParts = Omit<RouterParts, 'handlers' | 'views' | 'assets' | 'csrf' | 'cookies'> &
  Omit<AccountParts, 'passwordLimit'> &
  ProjectPagesParts &
  KeyPagesParts &
  ConnectionPagesParts &
  CatalogPagesParts &
  JobPagesParts &
  Parameters<typeof auditPages>[0] &
  Parameters<typeof datasetPages>[0] & {
    /** Makes the tokens in forms; the same on every process of the installation. */
    readonly csrfKey: Uint8Array;
    /** Counts tries at passwords for all processes together. */
    readonly attempts: Attempts;
  };

export interface Console {
  /** Serves the pages and passes every other path on. */
  readonly middleware: Koa.Middleware;
  /** Draws the pages of OAuth. */
  readonly consent: ConsentPort;
}

/** Guessing a password: thirty tries per address and ten per e-mail in a quarter of an hour. */
const QUARTER_SECONDS = 15 * 60;
const PER_ADDRESS = { points: 30, seconds: QUARTER_SECONDS };
const PER_ACCOUNT = { points: 10, seconds: QUARTER_SECONDS };

/** Builds the Console. Throws when a page of the contracts has no code. */
export function createConsole(parts: ConsoleParts): Console {
  const assets = loadAssets();
  const views = loadViews((name) => assets.urlOf(name));
  const cookies = cookieNames(parts.isHttps);
  const limits = {
    perAddress: parts.attempts.limit('sign in from an address', PER_ADDRESS),
    perAccount: parts.attempts.limit('sign in to an account', PER_ACCOUNT),
  };
  const handlers = {
    ...signInPages({ sessions: parts.sessions, limits }),
    ...accountPages({
      sessions: parts.sessions,
      passwordLimit: parts.attempts.limit('change a password', PER_ACCOUNT),
    }),
    ...projectPages(parts),
    ...keyPages(parts),
    ...connectionPages(parts),
    ...auditPages(parts),
    ...catalogPages(parts),
    ...tracePages(parts),
    ...sessionPages(parts),
    ...datasetPages(parts),
    ...jobPages(parts),
  };
  return {
    middleware: createRouter({ ...parts, handlers, views, assets, cookies, csrf: new Csrf(parts.csrfKey) }),
    consent: consentPages({ sessions: parts.sessions, projects: parts.projects, views, cookies }),
  };
}
