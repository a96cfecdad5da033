import type { Db, Tx } from '../../db/database.ts';

export type OAuthKeyPurpose = 'signing' | 'cookies';

export interface SealedKey {
  readonly id: string;
  readonly purpose: OAuthKeyPurpose;
  readonly sealed: string;
  readonly createdAt: Date;
}

interface KeyRow {
  id: string;
  purpose: OAuthKeyPurpose;
  sealed: string;
  created_at: Date;
}

export class OAuthKeyRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): OAuthKeyRepository {
    return new OAuthKeyRepository(tx);
  }

  /** Newest first; the key in use is the newest of its purpose. */
  async list(): Promise<readonly SealedKey[]> {
    const rows: KeyRow[] = await this.#db('oauth_keys').orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);
    return rows.map(({ id, purpose, sealed, created_at }) => ({ id, purpose, sealed, createdAt: created_at }));
  }

  /** Of several processes that start on an empty store one puts its key in. */
  async insertIfNone(key: SealedKey): Promise<void> {
    await this.#db.raw(
      `insert into oauth_keys (id, purpose, sealed, created_at) values (?, ?, ?, ?)
       on conflict (purpose) where retired_at is null do nothing`,
      [key.id, key.purpose, key.sealed, key.createdAt],
    );
  }

  async retire(purpose: OAuthKeyPurpose, at: Date): Promise<void> {
    await this.#db('oauth_keys').where({ purpose }).whereNull('retired_at').update({ retired_at: at });
  }

  async removeRetiredBefore(at: Date): Promise<void> {
    await this.#db('oauth_keys').where('retired_at', '<', at).delete();
  }
}
