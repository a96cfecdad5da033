import type { Db, Tx } from '../../db/database.ts';
import type { ApiKey, ApiKeyRecord } from './api-key.ts';

interface ApiKeyRow {
  id: string;
  account_id: string;
  project_id: string | null;
  name: string;
  prefix: string;
  can_read: boolean;
  can_write: boolean;
  allowed_ips: string[];
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  created_at: Date;
}

interface RecordRow extends ApiKeyRow {
  account_active: boolean;
  granted_id: string | null;
  granted_name: string | null;
  granted_slug: string | null;
}

const COLUMNS = [
  'id',
  'account_id',
  'project_id',
  'name',
  'prefix',
  'can_read',
  'can_write',
  'allowed_ips',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'created_at',
] as const;

export interface ApiKeyFilter {
  readonly accountId?: string;
  readonly projectId?: string;
}

export class ApiKeyRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  /** A project key is inserted only while the account is a member of the project; otherwise nothing is returned. */
  async insertForMember(key: ApiKey, hash: string): Promise<ApiKey | undefined> {
    const { rows }: { rows: ApiKeyRow[] } = await this.#db.raw(
      `insert into api_keys
         (id, account_id, project_id, name, key_hash, prefix, can_read, can_write, allowed_ips, expires_at, created_at)
       select :id, :account_id, :project_id, :name, :key_hash, :prefix, :can_read, :can_write,
              :allowed_ips, :expires_at, :created_at
       where cast(:project_id as text) is null
          or exists (select 1 from memberships where account_id = :account_id and project_id = :project_id)
       returning ${COLUMNS.join(', ')}`,
      {
        id: key.id,
        account_id: key.accountId,
        project_id: key.projectId ?? null,
        name: key.name,
        key_hash: hash,
        prefix: key.prefix,
        can_read: key.permissions.read,
        can_write: key.permissions.write,
        allowed_ips: key.allowedIps,
        expires_at: key.expiresAt ?? null,
        created_at: key.createdAt,
      },
    );
    return rows[0] && toApiKey(rows[0]);
  }

  /** One statement for everything a request's authentication needs to know. */
  async findRecordByHash(hash: string): Promise<ApiKeyRecord | undefined> {
    const row: RecordRow | undefined = await this.#db('api_keys as k')
      .join('accounts as a', 'a.id', 'k.account_id')
      .leftJoin('memberships as m', (join) =>
        join.on('m.account_id', 'k.account_id').andOn('m.project_id', 'k.project_id'),
      )
      .leftJoin('projects as p', (join) => join.on('p.id', 'm.project_id').andOn(this.#db.raw('p.is_active')))
      .where('k.key_hash', hash)
      .first([
        ...COLUMNS.map((column) => `k.${column}`),
        'a.is_active as account_active',
        'p.id as granted_id',
        'p.name as granted_name',
        'p.slug as granted_slug',
      ]);
    return row && toRecord(row);
  }

  async list(filter: ApiKeyFilter, limit: number): Promise<readonly ApiKey[]> {
    const query = this.#db('api_keys').orderBy(['created_at', 'id']).limit(limit);
    if (filter.accountId !== undefined) void query.where({ account_id: filter.accountId });
    if (filter.projectId !== undefined) void query.where({ project_id: filter.projectId });
    const rows: ApiKeyRow[] = await query.select(COLUMNS);
    return rows.map(toApiKey);
  }

  async isVisibleTo(accountId: string, keyId: string): Promise<boolean> {
    const row: unknown = await this.#db('api_keys as k')
      .leftJoin('memberships as m', (join) =>
        join.on('m.project_id', 'k.project_id').andOn('m.account_id', this.#db.raw('?', [accountId])),
      )
      .where({ 'k.id': keyId })
      .where((own) => void own.where({ 'k.account_id': accountId }).orWhereNotNull('m.account_id'))
      .first('k.id');
    return row !== undefined;
  }

  /** Keys whose id is this text or whose prefix it is; at most two, enough to see that a prefix is ambiguous. */
  async findByIdOrPrefix(reference: string): Promise<readonly ApiKey[]> {
    const rows: ApiKeyRow[] = await this.#db('api_keys')
      .where({ id: reference })
      .orWhere({ prefix: reference })
      .orderBy('id')
      .limit(2)
      .select(COLUMNS);
    return rows.map(toApiKey);
  }

  /** Keeps the first moment of revocation when it happens twice. */
  async revoke(keyId: string, now: Date): Promise<ApiKey | undefined> {
    const rows: ApiKeyRow[] = await this.#db('api_keys')
      .where({ id: keyId })
      .update({ revoked_at: this.#db.raw('coalesce(revoked_at, ?)', [now]) })
      .returning(COLUMNS);
    return rows[0] && toApiKey(rows[0]);
  }

  /** Never moves a time backwards: another process may have seen the key later. */
  async touch(uses: readonly { readonly keyId: string; readonly at: Date }[]): Promise<void> {
    const rows = uses.map((use) => ({ id: use.keyId, at: use.at.toISOString() }));
    await this.#db.raw(
      `update api_keys k set last_used_at = u.at
       from jsonb_to_recordset(?::jsonb) as u (id text, at timestamptz)
       where k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`,
      [JSON.stringify(rows)],
    );
  }
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    ...(row.project_id !== null && { projectId: row.project_id }),
    name: row.name,
    prefix: row.prefix,
    permissions: { read: row.can_read, write: row.can_write },
    allowedIps: row.allowed_ips,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
    createdAt: row.created_at,
  };
}

function toRecord(row: RecordRow): ApiKeyRecord {
  const { granted_id: id, granted_name: name, granted_slug: slug } = row;
  const project = id !== null && name !== null && slug !== null ? { project: { id, name, slug } } : {};
  return { key: toApiKey(row), accountActive: row.account_active, ...project };
}
