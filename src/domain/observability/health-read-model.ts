import { instantText, type Db } from '../../db/database.ts';
import { percentileNs, type DurationBucket } from './duration-histogram.ts';
import type { ErrorCount, ModelUse, Traffic } from './health.ts';
import { SqlConditions } from './sql-conditions.ts';

/** Whole hours or days, from `from` until before `to`, of one capability or of the whole project. */
export interface Window {
  readonly capabilityId?: string;
  readonly grain: 'hour' | 'day';
  readonly from: Date;
  readonly to: Date;
}

/** Up to so many traces the percentiles are read from the traces themselves. */
const EXACT_TRACES_MAX = 5_000;

interface TrafficRow {
  readonly n: number;
  readonly errors: number;
  readonly avg_ms: number | null;
  readonly total_tokens: number;
  readonly total_cost: number;
}

interface Percentiles {
  readonly p50Ns?: number;
  readonly p95Ns?: number;
}

/** Figures for health, from what the traces of each hour and day add up to; the traces themselves are not counted. */
export class HealthReadModel {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async traffic(projectId: string, window: Window): Promise<Traffic> {
    const conditions = conditionsOf(projectId, window, 'all');
    const { rows } = await this.#db.raw<{ rows: TrafficRow[] }>(
      `select coalesce(sum(n), 0)::bigint as n, coalesce(sum(errors), 0)::bigint as errors,
         (sum(duration_ns) / nullif(sum(n), 0) / 1e6)::float8 as avg_ms,
         coalesce(sum(total_tokens), 0)::bigint as total_tokens, coalesce(sum(total_cost), 0)::float8 as total_cost
       from traffic where ${conditions.text}`,
      [...conditions.bindings],
    );
    const row = rows[0];
    if (row === undefined || row.n === 0) return { n: 0, errors: 0, errorRate: 0, totalTokens: 0, totalCost: 0 };
    const { p50Ns, p95Ns } =
      row.n <= EXACT_TRACES_MAX ? await this.#exact(projectId, window) : await this.#bucketed(projectId, window);
    return {
      n: row.n,
      errors: row.errors,
      errorRate: Math.round((row.errors / row.n) * 1000) / 1000,
      ...(row.avg_ms !== null && { avgDurationMs: row.avg_ms }),
      ...(p50Ns !== undefined && { p50DurationMs: p50Ns / 1e6 }),
      ...(p95Ns !== undefined && { p95DurationMs: p95Ns / 1e6 }),
      totalTokens: row.total_tokens,
      totalCost: row.total_cost,
    };
  }

  async models(projectId: string, window: Window, limit: number): Promise<readonly ModelUse[]> {
    const conditions = conditionsOf(projectId, window, 'model');
    const { rows } = await this.#db.raw<{ rows: ModelUse[] }>(
      `select value as model, sum(n)::bigint as calls, sum(errors)::bigint as errors,
         sum(total_tokens)::bigint as "totalTokens", sum(total_cost)::float8 as "totalCost"
       from traffic where ${conditions.text}
       group by value having sum(n) > 0 order by calls desc, value limit ?`,
      [...conditions.bindings, limit],
    );
    return rows;
  }

  async errors(projectId: string, window: Window, limit: number): Promise<readonly ErrorCount[]> {
    const conditions = conditionsOf(projectId, window, 'error');
    const { rows } = await this.#db.raw<{ rows: ErrorCount[] }>(
      `select value as message, sum(n)::bigint as n from traffic where ${conditions.text}
       group by value having sum(n) > 0 order by n desc, value limit ?`,
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
      `select coalesce(sum(n), 0)::bigint as n,
         (select ${instantText('max(received_at)')} from traces where project_id = ? and capability_id = ?) as last_seen_at,
         (select newest.model from traces newest
          where newest.project_id = ? and newest.capability_id = ? and newest.model is not null
          order by newest.received_at desc, newest.trace_id desc limit 1) as model
       from traffic where project_id = ? and grain = 'day' and facet = 'all' and capability_id = ?`,
      Array.from({ length: 3 }, () => [projectId, capabilityId]).flat(),
    );
    const row = rows[0];
    return {
      traceCount: row?.n ?? 0,
      ...(row !== undefined && row.last_seen_at !== null && { lastSeenAt: row.last_seen_at }),
      ...(row !== undefined && row.model !== null && { model: row.model }),
    };
  }

  async #exact(projectId: string, { capabilityId, from, to }: Window): Promise<Percentiles> {
    const conditions = new SqlConditions()
      .add('project_id = ?', projectId)
      .add('capability_id = ?', capabilityId)
      .add('received_at >= ?::timestamptz', from)
      .add('received_at < ?::timestamptz', to);
    // percentile_disc is the nearest rank: the smallest value that at least this share of values does not pass.
    const { rows } = await this.#db.raw<{ rows: { p50: string | null; p95: string | null }[] }>(
      `select (percentile_disc(0.5) within group (order by duration_ns))::text as p50,
         (percentile_disc(0.95) within group (order by duration_ns))::text as p95
       from traces where ${conditions.text}`,
      [...conditions.bindings],
    );
    const { p50 = null, p95 = null } = rows[0] ?? {};
    return { ...(p50 !== null && { p50Ns: Number(p50) }), ...(p95 !== null && { p95Ns: Number(p95) }) };
  }

  async #bucketed(projectId: string, window: Window): Promise<Percentiles> {
    const conditions = conditionsOf(projectId, window, 'duration');
    const { rows } = await this.#db.raw<{ rows: DurationBucket[] }>(
      `select value::int as bucket, sum(n)::bigint as n from traffic where ${conditions.text}
       group by 1 having sum(n) > 0 order by 1`,
      [...conditions.bindings],
    );
    const [p50Ns, p95Ns] = [percentileNs(rows, 0.5), percentileNs(rows, 0.95)];
    return { ...(p50Ns !== undefined && { p50Ns }), ...(p95Ns !== undefined && { p95Ns }) };
  }
}

function conditionsOf(projectId: string, { capabilityId, grain, from, to }: Window, facet: string): SqlConditions {
  return new SqlConditions()
    .add('project_id = ?', projectId)
    .add('grain = ?', grain)
    .add('facet = ?', facet)
    .add('starts_at >= ?::timestamptz', from)
    .add('starts_at < ?::timestamptz', to)
    .add('capability_id = ?', capabilityId);
}
