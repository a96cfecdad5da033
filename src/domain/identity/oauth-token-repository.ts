import type { Db, Tx } from '../../db/database.ts';
import type { OAuthAccess, OAuthOwner, OAuthTokenKind, StoredToken } from './oauth-grant.ts';

interface TokenRow {
  hash: string;
  kind: OAuthTokenKind;
  grant_id: string;
  client_id: string;
  scopes: string[];
  payload: Record<string, unknown>;
  created_at: Date;
  expires_at: Date | null;
  consumed_at: Date | null;
}

interface AccessRow {
  grant_id: string;
  account_id: string;
  client_id: string;
  scopes: string[];
  resource: string;
  last_used_at: Date | null;
}

export class OAuthTokenRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): OAuthTokenRepository {
    return new OAuthTokenRepository(tx);
  }

  /** A token that is there already stays as it is. */
  async insertOnce(token: StoredToken): Promise<void> {
    await this.#db('oauth_tokens').insert(toRow(token)).onConflict('hash').ignore();
  }

  /** Of this kind, of a grant that is alive, and not expired; consumed ones are found too. */
  async findAlive(kind: OAuthTokenKind, hash: string, now: Date): Promise<StoredToken | undefined> {
    const row: TokenRow | undefined = await this.#db('oauth_tokens as t')
      .join('oauth_grants as g', 'g.id', 't.grant_id')
      .where({ 't.hash': hash, 't.kind': kind })
      .whereNull('g.revoked_at')
      .where((either) => void either.whereNull('t.expires_at').orWhere('t.expires_at', '>', now))
      .first('t.*');
    return row && toToken(row);
  }

  /** Takes the row lock of a refresh token, so that of parallel uses one comes after the other. */
  async lockRefresh(hash: string): Promise<StoredToken | undefined> {
    const row: TokenRow | undefined = await this.#db('oauth_tokens')
      .where({ hash, kind: 'refresh' })
      .forUpdate()
      .first();
    return row && toToken(row);
  }

  /** One statement decides: of any number of uses exactly one is told `true`. */
  async consume(kind: OAuthTokenKind, hash: string, now: Date): Promise<boolean> {
    const changed = await this.#db('oauth_tokens')
      .where({ hash, kind })
      .whereNull('consumed_at')
      .update({ consumed_at: now });
    return changed === 1;
  }

  async remove(kind: OAuthTokenKind, hash: string): Promise<void> {
    await this.#db('oauth_tokens').where({ hash, kind }).delete();
  }

  /** Whose token this is or was, whatever became of it; for the audit. */
  async findOwner(hash: string): Promise<OAuthOwner | undefined> {
    const row: Pick<AccessRow, 'grant_id' | 'account_id'> | undefined = await this.#db('oauth_tokens as t')
      .join('oauth_grants as g', 'g.id', 't.grant_id')
      .where({ 't.hash': hash })
      .first('t.grant_id', 'g.account_id');
    return row && { grantId: row.grant_id, accountId: row.account_id };
  }

  /** All that decides about an access token, in one look: its time, its grant and its account. */
  async findAccess(hash: string, now: Date): Promise<OAuthAccess | undefined> {
    const row: AccessRow | undefined = await this.#db('oauth_tokens as t')
      .join('oauth_grants as g', 'g.id', 't.grant_id')
      .join('accounts as a', 'a.id', 'g.account_id')
      .where({ 't.hash': hash, 't.kind': 'access', 'a.is_active': true })
      .where('t.expires_at', '>', now)
      .whereNull('g.revoked_at')
      .first('t.grant_id', 'g.account_id', 't.client_id', 't.scopes', 'g.resource', 'g.last_used_at');
    return (
      row && {
        grantId: row.grant_id,
        accountId: row.account_id,
        clientId: row.client_id,
        scopes: row.scopes,
        resource: row.resource,
        ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
      }
    );
  }
}

function toRow(token: StoredToken): Record<string, unknown> {
  return {
    hash: token.hash,
    kind: token.kind,
    grant_id: token.grantId,
    client_id: token.clientId,
    scopes: token.scopes,
    payload: JSON.stringify(token.payload),
    created_at: token.createdAt,
    expires_at: token.expiresAt ?? null,
  };
}

function toToken(row: TokenRow): StoredToken {
  return {
    hash: row.hash,
    kind: row.kind,
    grantId: row.grant_id,
    clientId: row.client_id,
    scopes: row.scopes,
    payload: row.payload,
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.consumed_at !== null && { consumedAt: row.consumed_at }),
  };
}
