import type { Db } from '../../db/database.ts';
import type { ErrorCount, ModelUse, Traffic } from './health.ts';
import { SqlConditions } from './sql-conditions.ts';

/** Traces received at or after `from` and before `to`, of one capability or of the whole project. */
export interface Window {
  readonly capabilityId?: string;
  readonly from: Date;
  readonly to: Date;
}

interface TrafficRow {
  readonly n: number;
  readonly errors: number;
  readonly avg_ms: number | null;
  readonly p50_ns: string | null;
  readonly p95_ns: string | null;
  readonly total_tokens: number;
  readonly total_cost: number;
}

/** Figures for health, made by the database over one window of an index. */
export class HealthReadModel {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async traffic(projectId: string, window: Window): Promise<Traffic> {
    const conditions = conditionsOf(projectId, window);
    // percentile_disc is the nearest rank: the smallest value that at least this share of values does not pass.
    const { rows } = await this.#db.raw<{ rows: TrafficRow[] }>(
      `select count(*) as n, count(*) filter (where t.failed) as errors,
         (avg(t.duration_ns) / 1e6)::float8 as avg_ms,
         (percentile_disc(0.5) within group (order by t.duration_ns))::text as p50_ns,
         (percentile_disc(0.95) within group (order by t.duration_ns))::text as p95_ns,
         coalesce(sum(t.total_tokens), 0)::bigint as total_tokens,
         coalesce(sum(t.total_cost), 0)::float8 as total_cost
       from traces t where ${conditions.text}`,
      [...conditions.bindings],
    );
    return toTraffic(rows[0]);
  }

  async models(projectId: string, window: Window, limit: number): Promise<readonly ModelUse[]> {
    const conditions = conditionsOf(projectId, window);
    const { rows } = await this.#db.raw<{ rows: ModelUse[] }>(
      `select s.model, count(*) as calls, count(*) filter (where s.status_code = 2) as errors,
         coalesce(sum(s.total_tokens), 0)::bigint as "totalTokens",
         coalesce(sum(s.total_cost), 0)::float8 as "totalCost"
       from traces t
       join spans s on s.project_id = t.project_id and s.trace_id = t.trace_id and s.model is not null
       where ${conditions.text}
       group by s.model order by calls desc, s.model limit ?`,
      [...conditions.bindings, limit],
    );
    return rows;
  }

  async errors(projectId: string, window: Window, limit: number): Promise<readonly ErrorCount[]> {
    const conditions = conditionsOf(projectId, window);
    const { rows } = await this.#db.raw<{ rows: ErrorCount[] }>(
      `select coalesce(nullif(t.error_message, ''), t.error_type, 'No message recorded') as message, count(*) as n
       from traces t
       where ${conditions.text} and t.failed
       group by 1 order by n desc, 1 limit ?`,
      [...conditions.bindings, limit],
    );
    return rows;
  }

  /** When and how much traffic a capability had at all. */
  async activity(
    projectId: string,
    capabilityId: string,
  ): Promise<{ traceCount: number; lastSeenAt?: string; model?: string }> {
    const { rows } = await this.#db.raw<{ rows: { n: number; last_seen_at: string | null; model: string | null }[] }>(
      `select count(*) as n,
         to_char(max(received_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as last_seen_at,
         (select newest.model from traces newest
          where newest.project_id = ? and newest.capability_id = ? and newest.model is not null
          order by newest.received_at desc, newest.trace_id desc limit 1) as model
       from traces where project_id = ? and capability_id = ?`,
      [projectId, capabilityId, projectId, capabilityId],
    );
    const row = rows[0];
    return {
      traceCount: row?.n ?? 0,
      ...(row !== undefined && row.last_seen_at !== null && { lastSeenAt: row.last_seen_at }),
      ...(row !== undefined && row.model !== null && { model: row.model }),
    };
  }
}

function conditionsOf(projectId: string, window: Window): SqlConditions {
  return new SqlConditions()
    .add('t.project_id = ?', projectId)
    .add('t.capability_id = ?', window.capabilityId)
    .add('t.received_at >= ?::timestamptz', window.from)
    .add('t.received_at < ?::timestamptz', window.to);
}

function toTraffic(row: TrafficRow | undefined): Traffic {
  if (row === undefined || row.n === 0) return { n: 0, errors: 0, errorRate: 0, totalTokens: 0, totalCost: 0 };
  return {
    n: row.n,
    errors: row.errors,
    errorRate: Math.round((row.errors / row.n) * 1000) / 1000,
    ...(row.avg_ms !== null && { avgDurationMs: row.avg_ms }),
    ...(row.p50_ns !== null && { p50DurationMs: Number(row.p50_ns) / 1e6 }),
    ...(row.p95_ns !== null && { p95DurationMs: Number(row.p95_ns) / 1e6 }),
    totalTokens: row.total_tokens,
    totalCost: row.total_cost,
  };
}
