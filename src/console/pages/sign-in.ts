import type { PageHandlers } from '../../../generated/console/pages.ts';
import type { AttemptLimit, SessionsService } from '../../domain/identity/index.ts';
import { rateLimited } from '../../http/rate-limit.ts';
import { AppError } from '../../kernel/errors.ts';
import { safeReturn } from '../addresses.ts';
import type { Answer, PublicVisit, View, Visits } from '../visit.ts';

export interface SignInParts {
  readonly sessions: SessionsService;
  readonly limits: SignInLimits;
}

/** How often a password may be tried. Addresses share the larger allowance, so that one office is not locked out. */
export interface SignInLimits {
  readonly perAddress: AttemptLimit;
  /** For one e-mail from one address: nobody can lock a person out from elsewhere. */
  readonly perAccount: AttemptLimit;
}

export function signInPages({
  sessions,
  limits,
}: SignInParts): Pick<PageHandlers<Visits, Answer>, 'sign_in' | 'sign_out' | 'password_link'> {
  /** Gives what takes the try back: somebody who got in was not guessing. */
  const allow = async ({ clientIp }: PublicVisit, email: string): Promise<() => Promise<void>> => {
    const account = `${clientIp} ${email.trim().toLowerCase()}`;
    for (const decision of [await limits.perAddress.consume(clientIp), await limits.perAccount.consume(account)]) {
      if (!decision.allowed) throw rateLimited(decision.retryAfterSeconds);
    }
    return async () => {
      await limits.perAddress.forgive(clientIp);
      await limits.perAccount.forgive(account);
    };
  };
  return {
    sign_in: {
      async show(visit) {
        // After a wrong password the form alone still knows where its person was going.
        const next = safeReturn(visit.form.text('next') || (visit.query.get('next') ?? '/'));
        if (visit.person !== undefined) return { to: next };
        const data = { next, email: visit.form.text('email'), isForClient: next.startsWith('/oauth/') };
        return { view: 'sign-in', title: 'Sign in', data };
      },
      actions: {
        async sign_in(visit) {
          const { form } = visit;
          const email = form.text('email');
          const forgive = await allow(visit, email);
          const opened = await sessions.signIn(email, form.text('password'), visit);
          if (opened === undefined) throw wrongPassword();
          await forgive();
          // A session that this browser had before ends here, so nobody can have planted or kept it.
          if (visit.person !== undefined) await endSession(sessions, visit);
          return {
            to: safeReturn(form.text('next')),
            session: { token: opened.token, expiresAt: opened.session.expiresAt },
          };
        },
      },
    },
    sign_out: {
      async show() {
        return { view: 'sign-out', title: 'Sign out', data: {} };
      },
      actions: {
        async sign_out(visit) {
          await endSession(sessions, visit);
          return { to: '/sign-in', notice: 'signed_out', session: 'end' };
        },
      },
    },
    password_link: {
      async show(visit) {
        const token = visit.query.get('token') ?? '';
        const link = await sessions.findLink(token);
        if (link === undefined) return deadLink();
        return {
          view: 'password-link',
          title: link.purpose === 'first_run' ? 'Welcome' : 'Set your password',
          data: {
            token,
            email: visit.form.text('email') || link.account.email,
            choosesEmail: link.purpose === 'first_run',
          },
        };
      },
      actions: {
        async set_password(visit) {
          const { form } = visit;
          const forgive = await allow(visit, form.text('token'));
          if (form.text('password') !== form.text('repeated')) throw unequal();
          const email = form.text('email');
          const opened = await sessions.redeemLink(
            form.text('token'),
            { password: form.text('password'), ...(email !== '' && { email }) },
            visit,
          );
          await forgive();
          return {
            to: '/',
            notice: 'welcome',
            session: { token: opened.token, expiresAt: opened.session.expiresAt },
          };
        },
      },
    },
  };
}

async function endSession(sessions: SessionsService, { person }: PublicVisit): Promise<void> {
  if (person !== undefined) await sessions.revoke(person.account.id, person.session.id);
}

function deadLink(): View {
  return { view: 'dead-link', title: 'This link no longer works', data: {}, status: 404 };
}

export function unequal(): AppError {
  return new AppError('invalid_input', 'The two passwords are not the same. Type them again.');
}

/** The same words whatever was wrong, so that nobody learns which addresses have accounts. */
function wrongPassword(): AppError {
  return new AppError('invalid_input', 'E-mail address and password do not belong together.');
}
