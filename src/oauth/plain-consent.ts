import type Koa from 'koa';
import type { Account, AccountsService } from '../domain/identity/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { SECOND_MS } from '../kernel/duration.ts';
import { AppError } from '../kernel/errors.ts';
import { decrypt, encrypt, sha256 } from '../kernel/secrets.ts';
import type { ConsentPort, SignedInPerson } from './consent-port.ts';
import { COOKIE_NAMES } from './inner-request.ts';
import type { FormTokens } from './interaction-guard.ts';
import type { OAuthLimits } from './limits.ts';
import { consentPage, problemPage, signInPage } from './plain-pages.ts';
import { INTERACTION_SECONDS, type OAuthAddresses } from './settings.ts';

export interface PlainConsentParts {
  readonly accounts: Pick<AccountsService, 'verifyPassword' | 'get'>;
  readonly addresses: OAuthAddresses;
  readonly clock: Clock;
  readonly limits: OAuthLimits;
  readonly formTokens: FormTokens;
  /** 32 bytes that seal who signed in. */
  readonly key: Uint8Array;
}

const COOKIE = 'overmind_oauth_person';
const WRONG = 'E-mail or password is wrong.';

/**
 * Consent without a Console. The sign-in is for one connection only: a sealed cookie that is good at this one path for
 * as long as the request itself.
 */
export function createPlainConsent(parts: PlainConsentParts): ConsentPort {
  const { addresses, formTokens, limits, clock } = parts;
  const secure = addresses.origin.startsWith('https:') ? '; Secure' : '';
  const show = (ctx: Koa.Context, html: string): void => {
    ctx.type = 'html';
    ctx.body = html;
  };
  const signInForm = (ctx: Koa.Context, action: string, complaint?: string): void => {
    ctx.status = complaint === undefined ? 200 : 401;
    const csrf = formTokens.make('sign-in', action, browserOf(ctx));
    show(ctx, signInPage({ action, csrf, ...(complaint !== undefined && { complaint }) }));
  };
  return {
    findPerson: (ctx) => readPerson(ctx, parts),
    requestSignIn: (ctx, returnPath) => Promise.resolve(signInForm(ctx, returnPath)),
    async acceptSignIn(ctx, returnPath, form) {
      if (!formTokens.isGood(form.get('csrf'), 'sign-in', returnPath, browserOf(ctx)))
        return signInForm(ctx, returnPath, 'The form was not the one shown to you. Try again.');
      const email = form.get('email') ?? '';
      const wait =
        (await limits.exceeded('signIn', ctx)) ??
        (await limits.exceededBy('signIn', `email ${sha256(email.trim().toLowerCase())}`));
      if (wait !== undefined) {
        ctx.set('Retry-After', String(wait));
        signInForm(ctx, returnPath, `Too many attempts. Try again in ${wait} s.`);
        ctx.status = 429;
        return undefined;
      }
      const account = await verify(parts, email, form.get('password') ?? '');
      if (account === undefined) return signInForm(ctx, returnPath, WRONG);
      const until = clock.now().getTime() + INTERACTION_SECONDS * SECOND_MS;
      const sealed = encrypt(parts.key, JSON.stringify({ accountId: account.id, until }), returnPath);
      ctx.append(
        'Set-Cookie',
        `${COOKIE}=${sealed}; Path=${returnPath}; HttpOnly; SameSite=Lax${secure}; Max-Age=${INTERACTION_SECONDS}`,
      );
      ctx.status = 303;
      ctx.redirect(returnPath);
      return undefined;
    },
    showConsent: (ctx, view) => Promise.resolve(show(ctx, consentPage(view))),
    showProblem: (ctx, problem) => Promise.resolve(show(ctx, problemPage(problem))),
  };
}

/** Ties the sign-in form to the browser it was shown in, so that nobody can be signed in by a form of somebody else. */
function browserOf(ctx: Koa.Context): string {
  return sha256(cookieOf(ctx, `${COOKIE_NAMES.interaction}.sig`) ?? '');
}

async function readPerson(ctx: Koa.Context, parts: PlainConsentParts): Promise<SignedInPerson | undefined> {
  const sealed = cookieOf(ctx, COOKIE);
  const seen = sealed === undefined ? undefined : open(parts.key, sealed, ctx.path);
  if (sealed === undefined || seen === undefined || seen.until <= parts.clock.now().getTime()) return undefined;
  const account = await parts.accounts.get(seen.accountId);
  return account.isActive ? { accountId: account.id, email: account.email, sessionId: sha256(sealed) } : undefined;
}

function open(key: Uint8Array, sealed: string, path: string): { accountId: string; until: number } | undefined {
  try {
    const value: unknown = JSON.parse(decrypt(key, sealed, path));
    if (typeof value !== 'object' || value === null || !('accountId' in value) || !('until' in value)) return undefined;
    const { accountId, until } = value;
    return typeof accountId === 'string' && typeof until === 'number' ? { accountId, until } : undefined;
  } catch {
    return undefined;
  }
}

/** An address that is none is as wrong as a wrong one. */
async function verify({ accounts }: PlainConsentParts, email: string, password: string): Promise<Account | undefined> {
  try {
    return await accounts.verifyPassword(email, password);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_input') return undefined;
    throw error;
  }
}

function cookieOf(ctx: Koa.Context, name: string): string | undefined {
  for (const pair of (ctx.req.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
