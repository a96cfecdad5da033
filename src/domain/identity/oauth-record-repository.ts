import type { Db, Tx } from '../../db/database.ts';

export type OAuthPayload = Readonly<Record<string, unknown>>;

/** Registered clients and the short-lived records of a sign-in under way. */
export class OAuthRecordRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  async saveClient(id: string, metadata: OAuthPayload, now: Date): Promise<void> {
    await this.#db('oauth_clients')
      .insert({ id, metadata: JSON.stringify(metadata), created_at: now })
      .onConflict('id')
      .merge(['metadata']);
  }

  async findClient(id: string): Promise<OAuthPayload | undefined> {
    const row: { metadata: OAuthPayload } | undefined = await this.#db('oauth_clients').where({ id }).first('metadata');
    return row?.metadata;
  }

  async removeClient(id: string): Promise<void> {
    await this.#db('oauth_clients').where({ id }).delete();
  }

  async save(record: {
    readonly model: string;
    readonly key: string;
    readonly uid: string | undefined;
    readonly payload: OAuthPayload;
    readonly expiresAt: Date;
  }): Promise<void> {
    const { model, key, uid, payload, expiresAt } = record;
    await this.#db('oauth_records')
      .insert({ model, key, uid: uid ?? null, payload: JSON.stringify(payload), expires_at: expiresAt })
      .onConflict(['model', 'key'])
      .merge();
  }

  async find(model: string, key: string, now: Date): Promise<OAuthPayload | undefined> {
    const row: { payload: OAuthPayload } | undefined = await this.#db('oauth_records')
      .where({ model, key })
      .where('expires_at', '>', now)
      .first('payload');
    return row?.payload;
  }

  async findByUid(model: string, uid: string, now: Date): Promise<OAuthPayload | undefined> {
    const row: { payload: OAuthPayload } | undefined = await this.#db('oauth_records')
      .where({ model, uid })
      .where('expires_at', '>', now)
      .first('payload');
    return row?.payload;
  }

  async remove(model: string, key: string): Promise<void> {
    await this.#db('oauth_records').where({ model, key }).delete();
  }

  /** Removes what can no longer matter. Clients stay while any grant names them. */
  async sweep(before: { readonly now: Date; readonly token: Date; readonly client: Date }): Promise<void> {
    await this.#db('oauth_records').where('expires_at', '<', before.now).delete();
    await this.#db('oauth_tokens').where('expires_at', '<', before.token).delete();
    await this.#db('oauth_tokens').where('consumed_at', '<', before.client).delete();
    await this.#db('oauth_grants').where('revoked_at', '<', before.client).delete();
    await this.#db.raw(
      `delete from oauth_grants g where g.created_at < ? and g.revoked_at is null
         and not exists (select from oauth_tokens t where t.grant_id = g.id)`,
      [before.token],
    );
    await this.#db.raw(
      `delete from oauth_clients c where c.created_at < ?
         and not exists (select from oauth_grants g where g.client_id = c.id)`,
      [before.client],
    );
  }
}
