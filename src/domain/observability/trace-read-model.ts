import type { Db } from '../../db/database.ts';
import type { TraceFailure } from './trace-view.ts';

/** A trace's own row, with names for its ids. */
export interface TraceSummary {
  readonly traceId: string;
  readonly headSpanId: string;
  readonly hasRoot: boolean;
  readonly name: string;
  readonly statusCode: number;
  readonly failed: boolean;
  readonly startNs: string;
  readonly durationMs: number;
  readonly spanCount: number;
  readonly errorCount: number;
  readonly capabilityId?: string;
  readonly capabilitySlug?: string;
  readonly session?: { readonly id: string; readonly externalId: string };
  readonly model?: string;
  readonly totalTokens?: number;
  readonly totalCost?: number;
}

interface SummaryRow {
  readonly trace_id: string;
  readonly head_span_id: string;
  readonly has_root: boolean;
  readonly name: string;
  readonly status_code: number;
  readonly failed: boolean;
  readonly start_ns: string;
  readonly duration_ms: number;
  readonly span_count: number;
  readonly error_count: number;
  readonly capability_id: string | null;
  readonly capability_slug: string | null;
  readonly conversation_id: string | null;
  readonly external_id: string | null;
  readonly model: string | null;
  readonly total_tokens: number | null;
  readonly total_cost: number | null;
}

interface FailureRow {
  readonly trace_id: string;
  readonly name: string;
  readonly error_message: string | null;
  readonly error_type: string | null;
  readonly error_count: number;
  readonly start_ns: string;
  readonly tools: readonly string[];
}

const TOOL_NAME = `coalesce(s.attributes ->> 'gen_ai.tool.name', s.attributes ->> 'tool.name',
  s.attributes ->> 'traceloop.entity.name', s.name)`;

export class TraceReadModel {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async findTraces(projectId: string, traceIds: readonly string[]): Promise<readonly TraceSummary[]> {
    const { rows } = await this.#db.raw<{ rows: SummaryRow[] }>(
      `select t.trace_id, t.head_span_id, t.head_rank < '1' as has_root, t.name, t.status_code, t.failed,
         t.start_time_ns::text as start_ns, t.duration_ns / 1e6::float8 as duration_ms, t.span_count, t.error_count,
         t.capability_id, c.slug as capability_slug, t.conversation_id, v.external_id, t.model, t.total_tokens,
         t.total_cost::float8 as total_cost
       from traces t
       left join capabilities c on c.project_id = t.project_id and c.id = t.capability_id
       left join conversations v on v.project_id = t.project_id and v.id = t.conversation_id
       where t.project_id = ? and t.trace_id = any(?::text[])`,
      [projectId, [...traceIds]],
    );
    return rows.map(toSummary);
  }

  /** Newest received first. */
  async failures(
    projectId: string,
    capabilityId: string,
    since: Date,
    limit: number,
  ): Promise<readonly TraceFailure[]> {
    const { rows } = await this.#db.raw<{ rows: FailureRow[] }>(
      `select t.trace_id, t.name, t.error_message, t.error_type, t.error_count, t.start_time_ns::text as start_ns,
         array(
           select distinct left(${TOOL_NAME}, 255) from spans s
           where s.project_id = t.project_id and s.trace_id = t.trace_id
             and s.span_type = 'tool_call' and s.status_code = 2
           order by 1 limit 100
         ) as tools
       from traces t
       where t.project_id = ? and t.capability_id = ? and t.failed and t.received_at >= ?::timestamptz
       order by t.received_at desc, t.trace_id desc limit ?`,
      [projectId, capabilityId, since, limit],
    );
    return rows.map((row) => ({
      traceId: row.trace_id,
      name: row.name,
      message: row.error_message ?? '',
      ...(row.error_type !== null && { errorType: row.error_type }),
      errorSpans: row.error_count,
      tools: row.tools,
      startNs: row.start_ns,
    }));
  }

  /** Ids of a session's traces, newest start first. */
  async ofSession(
    projectId: string,
    sessionId: string,
    limit: number,
  ): Promise<readonly { traceId: string; name: string }[]> {
    const { rows } = await this.#db.raw<{ rows: { traceId: string; name: string }[] }>(
      `select trace_id as "traceId", name from traces where project_id = ? and conversation_id = ?
       order by start_time_ns desc, trace_id desc limit ?`,
      [projectId, sessionId, limit],
    );
    return rows;
  }

  async countOfSession(projectId: string, sessionId: string): Promise<number> {
    const { rows } = await this.#db.raw<{ rows: { n: number }[] }>(
      'select count(*)::int as n from traces where project_id = ? and conversation_id = ?',
      [projectId, sessionId],
    );
    return rows[0]?.n ?? 0;
  }
}

function toSummary(row: SummaryRow): TraceSummary {
  return {
    traceId: row.trace_id,
    headSpanId: row.head_span_id,
    hasRoot: row.has_root,
    name: row.name,
    statusCode: row.status_code,
    failed: row.failed,
    startNs: row.start_ns,
    durationMs: row.duration_ms,
    spanCount: row.span_count,
    errorCount: row.error_count,
    ...(row.capability_id !== null && { capabilityId: row.capability_id }),
    ...(row.capability_slug !== null && { capabilitySlug: row.capability_slug }),
    ...(row.conversation_id !== null &&
      row.external_id !== null && { session: { id: row.conversation_id, externalId: row.external_id } }),
    ...(row.model !== null && { model: row.model }),
    ...(row.total_tokens !== null && { totalTokens: row.total_tokens }),
    ...(row.total_cost !== null && { totalCost: row.total_cost }),
  };
}
