import type { Db, Tx } from '../../db/database.ts';
import type { AgentCall } from './agent-call.ts';

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
}
