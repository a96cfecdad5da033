import type { Db, Tx } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { AccessChanges } from './access-changes.ts';
import { AccountRepository } from './account-repository.ts';
import { requireEmail, requirePassword } from './account.ts';
import type { Account } from './account.ts';
import type { PasswordHasher } from './password-hasher.ts';

export interface AccountsServiceParts {
  readonly db: Db | Tx;
  readonly clock: Clock;
  readonly passwords: PasswordHasher;
  readonly changes: AccessChanges;
}

/** The people who use the installation. */
export class AccountsService {
  readonly #parts: AccountsServiceParts;
  readonly #accounts: AccountRepository;

  constructor(parts: AccountsServiceParts) {
    this.#parts = parts;
    this.#accounts = new AccountRepository(parts.db);
  }

  /** The same use cases inside a transaction the caller owns. */
  in(tx: Tx): AccountsService {
    return new AccountsService({ ...this.#parts, db: tx });
  }

  /** Without a password the account can use keys but not sign in. */
  async create(input: { readonly email: string; readonly password?: string }): Promise<Account> {
    const email = requireEmail(input.email);
    const passwordHash =
      input.password === undefined ? undefined : await this.#parts.passwords.hash(requirePassword(input.password));
    const now = this.#parts.clock.now();
    const account = await this.#accounts.insertIfEmailFree({ id: newId(), email, passwordHash, now });
    if (account === undefined) {
      throw new AppError('invalid_input', 'An account with this e-mail address exists already.', {
        fields: { email: 'taken' },
      });
    }
    return account;
  }

  async findByEmail(email: string): Promise<Account | undefined> {
    return this.#accounts.findByEmail(requireEmail(email));
  }

  async get(accountId: string): Promise<Account> {
    const account = await this.#accounts.findById(accountId);
    if (account === undefined) throw new AppError('resource_not_found', 'There is no account with this id.');
    return account;
  }

  /** Checks the length and makes the hash; slow on purpose, so do it outside transactions. */
  async hashPassword(password: string): Promise<string> {
    return this.#parts.passwords.hash(requirePassword(password));
  }

  /** Sessions are not touched: `SessionsService` sets passwords with what must follow. */
  async setPasswordHash(accountId: string, passwordHash: string): Promise<void> {
    await this.#accounts.setPasswordHash(accountId, passwordHash, this.#parts.clock.now());
  }

  async setEmail(accountId: string, text: string): Promise<void> {
    if (await this.#accounts.setEmailIfFree(accountId, requireEmail(text), this.#parts.clock.now())) return;
    throw new AppError('invalid_input', 'An account with this e-mail address exists already.', {
      fields: { email: 'taken' },
    });
  }

  /** Oldest first; an installation has few accounts, so one bounded page is the whole list in practice. */
  async list(): Promise<readonly Account[]> {
    return this.#accounts.list(1_000);
  }

  /** The account of this e-mail and password when both are right and it is active. */
  async verifyPassword(email: string, password: string): Promise<Account | undefined> {
    const account = await this.#accounts.findByEmail(requireEmail(email));
    const hash = account && (await this.#accounts.findPasswordHash(account.id));
    if (account === undefined || hash === undefined || !account.isActive) {
      // Hashing anyway keeps the answer for an unknown address as slow as for a known one.
      await this.#parts.passwords.hash(password.slice(0, 256));
      return undefined;
    }
    return (await this.#parts.passwords.verify(hash, password)) ? account : undefined;
  }

  /** An inactive account's keys stop working; nothing of its projects is touched. */
  async setActive(accountId: string, isActive: boolean): Promise<void> {
    if (!(await this.#accounts.setActive(accountId, isActive, this.#parts.clock.now()))) {
      throw new AppError('resource_not_found', 'There is no account with this id.');
    }
    this.#parts.changes.notify();
  }

  /** See `AccountRepository.lockWhileEmpty`; only meaningful on a service made by `in(tx)`. */
  async lockWhileEmpty(): Promise<boolean> {
    return this.#accounts.lockWhileEmpty();
  }
}
