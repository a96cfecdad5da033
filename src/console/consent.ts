import type Koa from 'koa';
import type { SessionsService } from '../domain/identity/index.ts';
import type { ConsentPort } from '../oauth/consent-port.ts';
import { addressOf } from './addresses.ts';
import { readCookie, type CookieNames } from './cookies.ts';
import { draw, type FrameParts } from './frame.ts';

export interface ConsentPagesParts extends FrameParts {
  readonly sessions: SessionsService;
  readonly cookies: CookieNames;
}

/** Draws what a person sees while a client asks for access. What is decided, and whether, stays with OAuth. */
export function consentPages(parts: ConsentPagesParts): ConsentPort {
  const signedIn = async (ctx: Koa.Context) => {
    const token = readCookie(ctx, parts.cookies.session);
    return token === undefined ? undefined : parts.sessions.find(token);
  };
  return {
    async findPerson(ctx) {
      const person = await signedIn(ctx);
      return person && { accountId: person.account.id, email: person.account.email, sessionId: person.session.id };
    },
    async requestSignIn(ctx, returnPath) {
      ctx.status = 303;
      ctx.set('location', addressOf('sign_in', { next: returnPath }));
      ctx.body = '';
    },
    async showConsent(ctx, consent) {
      await draw(ctx, parts, { view: 'consent', title: 'Connect a client', data: { consent } }, {});
    },
    async showProblem(ctx, { status, title, message }) {
      await draw(ctx, parts, { view: 'error', title, status, data: { status, message } }, {});
    },
  };
}
