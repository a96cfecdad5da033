import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { AttemptLimit, SessionsService } from '../../domain/identity/index.ts';
import { rateLimited } from '../../http/rate-limit.ts';
import type { Answer, Visits } from '../visit.ts';
import { unequal } from './sign-in.ts';

export interface AccountParts {
  readonly sessions: SessionsService;
  /** Tries at the current password, per account. */
  readonly passwordLimit: AttemptLimit;
}

export function accountPages({ sessions, passwordLimit }: AccountParts): Pick<PageHandlers<Visits, Answer>, 'account'> {
  return {
    account: {
      async show({ person }) {
        const rows = await sessions.list(person.account.id);
        return {
          view: 'account',
          title: 'Your account',
          data: {
            email: person.account.email,
            since: person.account.createdAt,
            sessions: rows.map((session) => ({
              ...session,
              browser: browserInWords(session.userAgent),
              isThis: session.id === person.session.id,
            })),
            hasOthers: rows.length > 1,
          },
        };
      },
      actions: {
        async change_password({ person, form }) {
          const decision = await passwordLimit.consume(person.account.id);
          if (!decision.allowed) throw rateLimited(decision.retryAfterSeconds);
          if (form.text('next') !== form.text('repeated')) throw unequal();
          await sessions.changePassword(person, { current: form.text('current'), next: form.text('next') });
          return { to: '/account', notice: 'password_changed' };
        },
        async end_session({ person, form }) {
          await sessions.revoke(person.account.id, form.text('session'));
          return { to: '/account', notice: 'sessions_ended' };
        },
        async end_other_sessions({ person }) {
          await sessions.revokeOthers(person.account.id, person.session.id);
          return { to: '/account', notice: 'sessions_ended' };
        },
      },
    },
  };
}

/** Looked for in this order, since most browsers also name the ones they descend from. */
const BROWSERS = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** A browser as its person would name it, or what it calls itself when nobody would know it. */
function browserInWords(userAgent: string): string {
  const find = (names: readonly (readonly [RegExp, string])[]): string | undefined =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  if (browser === undefined) return userAgent === '' ? 'A browser without a name' : userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
