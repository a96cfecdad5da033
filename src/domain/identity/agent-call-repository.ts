import type { Db, Tx } from '../../db/database.ts';
import type { AgentCall, AgentCallFilter, AgentCallRow } from './agent-call.ts';

export interface StoredCall extends AgentCall {
  readonly id: string;
}

export class AgentCallRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  /** One statement and one parameter for a whole batch. A batch that is sent again after a lost answer stores nothing twice. */
  async insertMany(calls: readonly StoredCall[]): Promise<void> {
    const rows = calls.map((call) => ({
      id: call.id,
      at: call.at.toISOString(),
      request_id: call.requestId,
      client_ip: call.clientIp,
      account_id: call.subject,
      credential_id: call.credentialId,
      project_id: call.projectId ?? null,
      kind: call.kind,
      name: call.name,
      outcome: call.outcome === 'ok' ? 'ok' : 'error',
      error_code: call.outcome === 'ok' ? null : call.outcome,
      duration_ms: call.durationMs,
    }));
    await this.#db.raw(
      `insert into agent_calls
         (id, at, request_id, client_ip, account_id, credential_id, project_id, kind, name, outcome, error_code, duration_ms)
       select id, at, request_id, client_ip, account_id, credential_id, project_id, kind, name, outcome, error_code, duration_ms
       from jsonb_to_recordset(?::jsonb) as c (
         id text, at timestamptz, request_id text, client_ip text, account_id text, credential_id text, project_id text,
         kind text, name text, outcome text, error_code text, duration_ms double precision)
       on conflict (id) do nothing`,
      [JSON.stringify(rows)],
    );
  }

  /** Newest first. The credential's name is looked up where it still has one. */
  async page(
    filter: AgentCallFilter,
    page: { readonly limit: number; readonly after?: { readonly at: string; readonly id: string } },
  ): Promise<readonly (AgentCallRow & { readonly atText: string })[]> {
    const query = this.#db('agent_calls as c')
      .leftJoin('api_keys as k', 'k.id', 'c.credential_id')
      .leftJoin('oauth_grants as g', 'g.id', 'c.credential_id')
      .leftJoin('accounts as a', 'a.id', 'c.account_id')
      .orderBy([
        { column: 'c.at', order: 'desc' },
        { column: 'c.id', order: 'desc' },
      ])
      .limit(page.limit);
    if ('projectId' in filter) void query.where({ 'c.project_id': filter.projectId });
    else void query.where({ 'c.account_id': filter.accountId });
    if (filter.name !== undefined) void query.where({ 'c.name': filter.name });
    if (filter.outcome !== undefined) void query.where({ 'c.outcome': filter.outcome });
    if (page.after !== undefined)
      void query.whereRaw('(c.at, c.id) < (?::timestamptz, ?)', [page.after.at, page.after.id]);
    const rows: CallRow[] = await query.select([
      'c.*',
      this.#db.raw(`to_char(c.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at_text`),
      this.#db.raw('coalesce(k.name, g.client_name) as credential_name'),
      'a.email as account_email',
    ]);
    return rows.map(toRow);
  }
}

interface CallRow {
  id: string;
  at: Date;
  at_text: string;
  client_ip: string;
  account_id: string;
  account_email: string | null;
  credential_name: string | null;
  project_id: string | null;
  kind: string;
  name: string;
  error_code: string | null;
  duration_ms: number;
}

function toRow(row: CallRow): AgentCallRow & { readonly atText: string } {
  return {
    id: row.id,
    at: row.at,
    atText: row.at_text,
    clientIp: row.client_ip,
    kind: row.kind,
    name: row.name,
    durationMs: row.duration_ms,
    ...(row.project_id !== null && { projectId: row.project_id }),
    ...(row.error_code !== null && { errorCode: row.error_code }),
    ...(row.account_email !== null && { accountEmail: row.account_email }),
    ...(row.credential_name !== null && { credentialName: row.credential_name }),
  };
}
