import { cookieNames, readCookie } from '../console/cookies.ts';
import { Csrf, requireSameOrigin } from '../console/csrf.ts';
import { CallerAccount } from '../context/caller-account.ts';
import { Refusal } from '../http/refusal.ts';
import { deriveKey, equalsInConstantTime } from '../kernel/secrets.ts';
import type { SessionAccess } from '../rest/session-access.ts';
import type { Services } from './services.ts';

/** The Console's sessions at the REST endpoints, with the same cookie, the same origins and the same tokens as its forms. */
export function sessionAccessOf({ sessions, addresses, installationSecret }: Services): SessionAccess {
  const { session: name } = cookieNames(addresses.origin.startsWith('https:'));
  const csrf = new Csrf(deriveKey(installationSecret, 'console-csrf'));
  const origins = [addresses.origin, new URL(addresses.frontendUrl).origin];
  return {
    async admit(ctx, call) {
      const token = readCookie(ctx, name);
      const person = token === undefined ? undefined : await sessions.find(token);
      if (person === undefined) return undefined;
      const owner = `session:${person.session.id}`;
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
        requireSameOrigin(ctx, origins);
        if (!equalsInConstantTime(csrf.tokenOf(owner), ctx.get('x-csrf-token'))) throw noToken();
      }
      const account = new CallerAccount(call, {
        accountId: person.account.id,
        credential: { kind: 'session', id: person.session.id },
        permissions: { read: true, write: true },
      });
      return { account, csrfToken: csrf.tokenOf(owner) };
    },
  };
}

function noToken(): Refusal {
  const message = 'Send the csrf_token of GET /api/v1/account in the X-Csrf-Token header.';
  return new Refusal(403, 'permission_denied', message, { fields: { header: 'x-csrf-token' } });
}
