import type { CursorValue } from '../../kernel/page-cursor.ts';
import type { TraceRow } from './trace-query.ts';

/** A row of a list as the database answers it. */
export interface ListRow {
  readonly trace_id: string;
  readonly span_id: string;
  readonly name: string;
  readonly capability: string | null;
  readonly session: string | null;
  readonly span_type: string;
  readonly operation: string | null;
  readonly service_name: string | null;
  readonly status_code: number;
  readonly duration_ms: number;
  readonly start_ns: string;
  readonly received_at: string;
  readonly span_count: number | null;
  readonly error_count: number | null;
  readonly total_tokens: number | null;
  readonly total_cost: number | null;
  readonly model: string | null;
  readonly is_live: boolean;
  readonly sort_value: CursorValue;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Written field by field, since every page makes one of these per row. */
export function toTraceRow(row: ListRow): TraceRow {
  const trace: Writable<TraceRow> = {
    traceId: row.trace_id,
    spanId: row.span_id,
    name: row.name,
    spanType: row.span_type,
    statusCode: row.status_code,
    durationMs: row.duration_ms,
    startNs: row.start_ns,
    receivedAt: row.received_at,
    isLive: row.is_live,
  };
  if (row.capability !== null) trace.capabilitySlug = row.capability;
  if (row.session !== null) trace.session = row.session;
  if (row.operation !== null) trace.operation = row.operation;
  if (row.service_name !== null) trace.serviceName = row.service_name;
  if (row.span_count !== null) trace.spanCount = row.span_count;
  if (row.error_count !== null) trace.errorCount = row.error_count;
  if (row.total_tokens !== null) trace.totalTokens = row.total_tokens;
  if (row.total_cost !== null) trace.totalCost = row.total_cost;
  if (row.model !== null) trace.model = row.model;
  return trace;
}
