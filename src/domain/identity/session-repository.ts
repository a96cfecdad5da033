import type { Db, Tx } from '../../db/database.ts';
import type { Account } from './account.ts';
import type { PasswordLink, PasswordLinkPurpose, Session, SignedIn } from './session.ts';

interface SessionRow {
  id: string;
  account_id: string;
  client_ip: string;
  user_agent: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

interface AccountColumns {
  account_id: string;
  account_email: string;
  account_has_password: boolean;
  account_created_at: Date;
}

const ACCOUNT_COLUMNS = ['a.email as account_email', 'a.created_at as account_created_at'] as const;

export class SessionRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): SessionRepository {
    return new SessionRepository(tx);
  }

  async insert(session: Session, tokenHash: string): Promise<void> {
    await this.#db('account_sessions').insert({
      id: session.id,
      token_hash: tokenHash,
      account_id: session.accountId,
      client_ip: session.clientIp,
      user_agent: session.userAgent,
      created_at: session.createdAt,
      last_seen_at: session.lastSeenAt,
      expires_at: session.expiresAt,
    });
  }

  /** A live session of an active account. */
  async findAlive(tokenHash: string, now: Date): Promise<SignedIn | undefined> {
    const row: (SessionRow & AccountColumns) | undefined = await this.#alive(now)
      .join('accounts as a', 'a.id', 's.account_id')
      .where({ 's.token_hash': tokenHash, 'a.is_active': true })
      .first(['s.*', ...ACCOUNT_COLUMNS, this.#db.raw('a.password_hash is not null as account_has_password')]);
    return row && { session: toSession(row), account: toAccount(row) };
  }

  async listAlive(accountId: string, now: Date, limit: number): Promise<readonly Session[]> {
    const rows: SessionRow[] = await this.#alive(now)
      .where({ 's.account_id': accountId })
      .orderBy('s.last_seen_at', 'desc')
      .limit(limit)
      .select('s.*');
    return rows.map(toSession);
  }

  /** Never moves the time back: several processes write it. */
  async touch(sessionId: string, at: Date): Promise<void> {
    await this.#db('account_sessions')
      .where({ id: sessionId })
      .update({ last_seen_at: this.#db.raw('greatest(last_seen_at, ?)', [at]) });
  }

  /** Ends one session of the account, or all but `except`; answers how many. */
  async revoke(
    accountId: string,
    which: { readonly sessionId: string } | { readonly except: string | undefined },
    at: Date,
  ): Promise<number> {
    const query = this.#db('account_sessions').where({ account_id: accountId }).whereNull('revoked_at');
    if ('sessionId' in which) void query.where({ id: which.sessionId });
    else if (which.except !== undefined) void query.whereNot({ id: which.except });
    return query.update({ revoked_at: at });
  }

  async insertLink(link: {
    readonly tokenHash: string;
    readonly accountId: string;
    readonly purpose: PasswordLinkPurpose;
    readonly createdAt: Date;
    readonly expiresAt: Date;
  }): Promise<void> {
    await this.#db('password_links').insert({
      token_hash: link.tokenHash,
      account_id: link.accountId,
      purpose: link.purpose,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
    });
  }

  async findLink(tokenHash: string, now: Date): Promise<PasswordLink | undefined> {
    const row: (AccountColumns & { purpose: PasswordLinkPurpose; expires_at: Date }) | undefined = await this.#db(
      'password_links as l',
    )
      .join('accounts as a', 'a.id', 'l.account_id')
      .where({ 'l.token_hash': tokenHash, 'a.is_active': true })
      .whereNull('l.used_at')
      .where('l.expires_at', '>', now)
      .first([
        'l.account_id',
        'l.purpose',
        'l.expires_at',
        ...ACCOUNT_COLUMNS,
        this.#db.raw('a.password_hash is not null as account_has_password'),
      ]);
    return row && { account: toAccount(row), purpose: row.purpose, expiresAt: row.expires_at };
  }

  /** Of two uses at the same moment exactly one is told `true`. */
  async useLink(tokenHash: string, now: Date): Promise<boolean> {
    const used = await this.#db('password_links')
      .where({ token_hash: tokenHash })
      .whereNull('used_at')
      .where('expires_at', '>', now)
      .update({ used_at: now });
    return used === 1;
  }

  /** All unused links of an account stop working. */
  async dropLinks(accountId: string, now: Date): Promise<void> {
    await this.#db('password_links').where({ account_id: accountId }).whereNull('used_at').update({ used_at: now });
  }

  /** Forgets what ended long ago. */
  async deleteEndedBefore(moment: Date): Promise<void> {
    await this.#db('account_sessions').where('expires_at', '<', moment).delete();
    await this.#db('password_links').where('expires_at', '<', moment).delete();
  }

  #alive(now: Date) {
    return this.#db('account_sessions as s').whereNull('s.revoked_at').where('s.expires_at', '>', now);
  }
}

function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    accountId: row.account_id,
    clientIp: row.client_ip,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  };
}

function toAccount(row: AccountColumns): Account {
  return {
    id: row.account_id,
    email: row.account_email,
    isActive: true,
    hasPassword: row.account_has_password,
    createdAt: row.account_created_at,
  };
}
