import type { Db, Tx } from '../../db/database.ts';
import type { AgentCall, AgentCallFilter, AgentCallRow } from './agent-call.ts';

export interface StoredCall {
  readonly id: string;
  readonly call: AgentCall;
}

export class AgentCallRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  /**
   * One statement and one array per column for a whole batch, which costs server and store least. A batch that is sent
   * again after a lost answer stores nothing twice.
   */
  async insertMany(calls: readonly StoredCall[]): Promise<void> {
    await this.#db.raw(INSERT_MANY, [
      textArray(calls, ({ id }) => id),
      textArray(calls, ({ call }) => call.at.toISOString()),
      textArray(calls, ({ call }) => call.requestId),
      textArray(calls, ({ call }) => call.clientIp),
      textArray(calls, ({ call }) => call.subject),
      textArray(calls, ({ call }) => call.credentialId),
      textArray(calls, ({ call }) => call.projectId),
      textArray(calls, ({ call }) => call.kind),
      textArray(calls, ({ call }) => call.name),
      textArray(calls, ({ call }) => (call.outcome === 'ok' ? undefined : call.outcome)),
      textArray(calls, ({ call }) => String(call.durationMs)),
    ]);
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

const INSERT_MANY = `insert into agent_calls
    (id, at, request_id, client_ip, account_id, credential_id, project_id, kind, name, outcome, error_code, duration_ms)
  select id, at, request_id, client_ip, account_id, credential_id, project_id, kind, name,
    case when error_code is null then 'ok' else 'error' end, error_code, duration_ms
  from unnest(?::text[], ?::timestamptz[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
    ?::text[], ?::double precision[])
    as c (id, at, request_id, client_ip, account_id, credential_id, project_id, kind, name, error_code, duration_ms)
  on conflict (id) do nothing`;

/**
 * The text form of a one-dimensional array (PostgreSQL 8.15.6). Written here because the driver's own quotes every
 * element. Neighbours mostly come from one caller and are alike in most columns.
 */
function textArray(calls: readonly StoredCall[], valueOf: (call: StoredCall) => string | undefined): string {
  let text = '{';
  let before: string | undefined;
  let element = 'NULL';
  for (const call of calls) {
    const value = valueOf(call);
    if (value !== before) {
      before = value;
      element = elementOf(value);
    }
    text += text.length > 1 ? `,${element}` : element;
  }
  return `${text}}`;
}

function elementOf(value: string | undefined): string {
  if (value === undefined) return 'NULL';
  return PLAIN.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** What needs no quotes. The word NULL would, but no column here takes it from a caller; quoting it costs nothing. */
const PLAIN = /^(?!null$)[A-Za-z0-9_.:+-]+$/i;

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
