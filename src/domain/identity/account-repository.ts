import type { Db, Tx } from '../../db/database.ts';
import type { Account } from './account.ts';

interface AccountRow {
  id: string;
  email: string;
  is_active: boolean;
  password_hash: string | null;
  created_at: Date;
}

/** Any fixed number: every process that may set up an empty installation asks for this same lock. */
const FIRST_SETUP_LOCK = 7_310_015;

export class AccountRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): AccountRepository {
    return new AccountRepository(tx);
  }

  async insertIfEmailFree(account: {
    readonly id: string;
    readonly email: string;
    readonly passwordHash: string | undefined;
    readonly now: Date;
  }): Promise<Account | undefined> {
    const rows: AccountRow[] = await this.#db('accounts')
      .insert({
        id: account.id,
        email: account.email,
        password_hash: account.passwordHash ?? null,
        created_at: account.now,
        updated_at: account.now,
      })
      .onConflict('email')
      .ignore()
      .returning('*');
    return rows[0] && toAccount(rows[0]);
  }

  async findByEmail(email: string): Promise<Account | undefined> {
    const row: AccountRow | undefined = await this.#db('accounts').where({ email }).first();
    return row && toAccount(row);
  }

  async findById(accountId: string): Promise<Account | undefined> {
    const row: AccountRow | undefined = await this.#db('accounts').where({ id: accountId }).first();
    return row && toAccount(row);
  }

  async setPasswordHash(accountId: string, passwordHash: string, now: Date): Promise<void> {
    await this.#db('accounts').where({ id: accountId }).update({ password_hash: passwordHash, updated_at: now });
  }

  /** Answers whether the address was free. */
  async setEmailIfFree(accountId: string, email: string, now: Date): Promise<boolean> {
    const changed = await this.#db('accounts')
      .where({ id: accountId })
      .whereNotExists(this.#db('accounts as other').where({ 'other.email': email }).whereNot({ 'other.id': accountId }))
      .update({ email, updated_at: now });
    return changed === 1;
  }

  async findPasswordHash(accountId: string): Promise<string | undefined> {
    const row: Pick<AccountRow, 'password_hash'> | undefined = await this.#db('accounts')
      .where({ id: accountId })
      .first('password_hash');
    return row?.password_hash ?? undefined;
  }

  async list(limit: number): Promise<readonly Account[]> {
    const rows: AccountRow[] = await this.#db('accounts').orderBy(['created_at', 'id']).limit(limit);
    return rows.map(toAccount);
  }

  async setActive(accountId: string, isActive: boolean, now: Date): Promise<boolean> {
    return (await this.#db('accounts').where({ id: accountId }).update({ is_active: isActive, updated_at: now })) === 1;
  }

  /**
   * Takes the set-up lock until the transaction ends and says whether there is still no account. Of several processes
   * on one empty database exactly one is told `true`.
   */
  async lockWhileEmpty(): Promise<boolean> {
    await this.#db.raw('select pg_advisory_xact_lock(?)', [FIRST_SETUP_LOCK]);
    return (await this.#db('accounts').first('id')) === undefined;
  }
}

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    isActive: row.is_active,
    hasPassword: row.password_hash !== null,
    createdAt: row.created_at,
  };
}
