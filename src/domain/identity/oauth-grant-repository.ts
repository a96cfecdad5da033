import type { Db, Tx } from '../../db/database.ts';
import type { OAuthClientKind, OAuthGrant, RevocationCause } from './oauth-grant.ts';

interface GrantRow {
  id: string;
  account_id: string;
  client_id: string;
  client_name: string;
  client_kind: OAuthClientKind;
  redirect_host: string;
  resource: string;
  scopes: string[];
  created_at: Date;
  first_used_at: Date | null;
  last_used_at: Date | null;
}

export class OAuthGrantRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): OAuthGrantRepository {
    return new OAuthGrantRepository(tx);
  }

  async insert(grant: OAuthGrant): Promise<void> {
    await this.#db('oauth_grants').insert({
      id: grant.id,
      account_id: grant.accountId,
      client_id: grant.clientId,
      client_name: grant.clientName,
      client_kind: grant.clientKind,
      redirect_host: grant.redirectHost,
      resource: grant.resource,
      scopes: grant.scopes,
      created_at: grant.createdAt,
    });
  }

  /** A grant that is not revoked and whose account is active. */
  async findAlive(grantId: string): Promise<OAuthGrant | undefined> {
    const row: GrantRow | undefined = await this.#db('oauth_grants as g')
      .join('accounts as a', 'a.id', 'g.account_id')
      .where({ 'g.id': grantId, 'a.is_active': true })
      .whereNull('g.revoked_at')
      .first('g.*');
    return row && toGrant(row);
  }

  async listAlive(accountId: string, limit: number): Promise<readonly OAuthGrant[]> {
    const rows: GrantRow[] = await this.#db('oauth_grants')
      .where({ account_id: accountId })
      .whereNull('revoked_at')
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(limit);
    return rows.map(toGrant);
  }

  /** The first revocation is the one that counts; answers whether this was it. `accountId` limits it to its owner's. */
  async revoke(
    grantId: string,
    how: { readonly because: RevocationCause; readonly at: Date; readonly accountId?: string },
  ): Promise<boolean> {
    const changed = await this.#db('oauth_grants')
      .where({ id: grantId, ...(how.accountId !== undefined && { account_id: how.accountId }) })
      .whereNull('revoked_at')
      .update({ revoked_at: how.at, revoked_because: how.because });
    return changed === 1;
  }

  /** Never moves the time back: several processes write it. */
  async touch(grantId: string, at: Date): Promise<void> {
    await this.#db.raw(
      `update oauth_grants set first_used_at = coalesce(first_used_at, ?), last_used_at = greatest(last_used_at, ?)
       where id = ?`,
      [at, at, grantId],
    );
  }
}

function toGrant(row: GrantRow): OAuthGrant {
  return {
    id: row.id,
    accountId: row.account_id,
    clientId: row.client_id,
    clientName: row.client_name,
    clientKind: row.client_kind,
    redirectHost: row.redirect_host,
    resource: row.resource,
    scopes: row.scopes,
    createdAt: row.created_at,
    ...(row.first_used_at !== null && { firstUsedAt: row.first_used_at }),
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
  };
}
