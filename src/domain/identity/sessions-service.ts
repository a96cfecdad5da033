import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { DAY_MS, MINUTE_MS } from '../../kernel/duration.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { randomToken, sha256 } from '../../kernel/secrets.ts';
import type { Account } from './account.ts';
import type { AccountsService } from './accounts-service.ts';
import { SessionRepository } from './session-repository.ts';
import { plainUserAgent } from './session.ts';
import type { PasswordLink, PasswordLinkPurpose, Session, SignedIn } from './session.ts';

/** A session ends this long after it began, whatever happens in it. */
const SESSION_DAYS = 14;
const LINK_DAYS: Readonly<Record<PasswordLinkPurpose, number>> = { first_run: 30, invitation: 7, reset: 1 };
/** Writing the last use on every request would cost an update per page. */
const TOUCH_AFTER_MS = MINUTE_MS;
const KEPT_DAYS = 30;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const MAX_LISTED = 200;

export interface BrowserFacts {
  readonly clientIp: string;
  readonly userAgent: string | undefined;
}

/** A new session and the one moment its secret is known. */
export interface NewSession extends SignedIn {
  readonly token: string;
}

/** Who is signed in where, and the one-time links by which a password is set without knowing the old one. */
export class SessionsService {
  readonly #parts: { readonly db: Db; readonly clock: Clock; readonly accounts: AccountsService };
  readonly #sessions: SessionRepository;

  constructor(parts: { readonly db: Db; readonly clock: Clock; readonly accounts: AccountsService }) {
    this.#parts = parts;
    this.#sessions = new SessionRepository(parts.db);
  }

  /** Undefined when e-mail and password do not belong together; an unknown address takes as long as a known one. */
  async signIn(email: string, password: string, browser: BrowserFacts): Promise<NewSession | undefined> {
    const account = await this.#parts.accounts.verifyPassword(email, password);
    return account && this.#open(account, browser);
  }

  /** The session this secret belongs to, when it lives and its account is active. */
  async find(token: string): Promise<SignedIn | undefined> {
    if (!SECRET.test(token)) return undefined;
    const now = this.#parts.clock.now();
    const found = await this.#sessions.findAlive(sha256(token), now);
    if (found !== undefined && now.getTime() - found.session.lastSeenAt.getTime() > TOUCH_AFTER_MS) {
      await this.#sessions.touch(found.session.id, now);
    }
    return found;
  }

  /** Last seen first. */
  async list(accountId: string): Promise<readonly Session[]> {
    return this.#sessions.listAlive(accountId, this.#parts.clock.now(), MAX_LISTED);
  }

  /** Works from the next request on, in every process: a session is looked up each time. */
  async revoke(accountId: string, sessionId: string): Promise<boolean> {
    return (await this.#sessions.revoke(accountId, { sessionId }, this.#parts.clock.now())) === 1;
  }

  async revokeOthers(accountId: string, keptSessionId: string | undefined): Promise<number> {
    return this.#sessions.revoke(accountId, { except: keptSessionId }, this.#parts.clock.now());
  }

  /** Ends every other session and every open link: whoever knew the old password is out. */
  async changePassword(
    { account, session }: SignedIn,
    passwords: { readonly current: string; readonly next: string },
  ): Promise<void> {
    if ((await this.#parts.accounts.verifyPassword(account.email, passwords.current)) === undefined) {
      throw new AppError('invalid_input', 'The current password is not right.', {
        fields: { current: 'is not right' },
      });
    }
    await this.#setPassword(account.id, passwords.next, session.id);
  }

  /** A link that sets the password once. The earlier links of the account stop working. */
  async issueLink(
    accountId: string,
    purpose: PasswordLinkPurpose,
  ): Promise<{ readonly token: string; readonly expiresAt: Date }> {
    const token = randomToken();
    const now = this.#parts.clock.now();
    const expiresAt = new Date(now.getTime() + LINK_DAYS[purpose] * DAY_MS);
    await this.#parts.db.transaction(async (tx) => {
      const sessions = this.#sessions.in(tx);
      await sessions.dropLinks(accountId, now);
      await sessions.insertLink({ tokenHash: sha256(token), accountId, purpose, createdAt: now, expiresAt });
    });
    return { token, expiresAt };
  }

  async findLink(token: string): Promise<PasswordLink | undefined> {
    if (!SECRET.test(token)) return undefined;
    return this.#sessions.findLink(sha256(token), this.#parts.clock.now());
  }

  /** Sets the password, uses the link up and signs in. The first person may also say which e-mail address is theirs. */
  async redeemLink(
    token: string,
    { password, email }: { readonly password: string; readonly email?: string },
    browser: BrowserFacts,
  ): Promise<NewSession> {
    const link = await this.findLink(token);
    if (link === undefined) throw deadLink();
    const hash = await this.#parts.accounts.hashPassword(password);
    const account = await this.#parts.db.transaction(async (tx) => {
      const sessions = this.#sessions.in(tx);
      const accounts = this.#parts.accounts.in(tx);
      const now = this.#parts.clock.now();
      if (!(await sessions.useLink(sha256(token), now))) throw deadLink();
      await accounts.setPasswordHash(link.account.id, hash);
      if (link.purpose === 'first_run' && email !== undefined) await accounts.setEmail(link.account.id, email);
      await sessions.dropLinks(link.account.id, now);
      await sessions.revoke(link.account.id, { except: undefined }, now);
      return accounts.get(link.account.id);
    });
    return this.#open(account, browser);
  }

  /** Sets a password for an operator at the command line and signs every browser of the account out. */
  async resetPassword(accountId: string, password: string): Promise<void> {
    await this.#setPassword(accountId, password, undefined);
  }

  /** Forgets sessions and links that ended long ago; for a schedule. */
  async sweep(): Promise<void> {
    await this.#sessions.deleteEndedBefore(new Date(this.#parts.clock.now().getTime() - KEPT_DAYS * DAY_MS));
  }

  async #setPassword(accountId: string, password: string, keptSessionId: string | undefined): Promise<void> {
    const hash = await this.#parts.accounts.hashPassword(password);
    await this.#parts.db.transaction(async (tx) => {
      const now = this.#parts.clock.now();
      await this.#parts.accounts.in(tx).setPasswordHash(accountId, hash);
      await this.#sessions.in(tx).dropLinks(accountId, now);
      await this.#sessions.in(tx).revoke(accountId, { except: keptSessionId }, now);
    });
  }

  async #open(account: Account, { clientIp, userAgent }: BrowserFacts): Promise<NewSession> {
    const token = randomToken();
    const now = this.#parts.clock.now();
    const session: Session = {
      id: newId(),
      accountId: account.id,
      clientIp,
      userAgent: plainUserAgent(userAgent),
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + SESSION_DAYS * DAY_MS),
    };
    await this.#sessions.insert(session, sha256(token));
    return { session, account, token };
  }
}

function deadLink(): AppError {
  return new AppError(
    'resource_not_found',
    'This link has been used or is too old. Ask for a new one, or run overmind-mcp account link.',
  );
}
