import type { Db } from '../../db/database.ts';
import type { CursorValue } from '../../kernel/page-cursor.ts';
import type { JsonObject, Span, SpanEvent, SpanLink, StatusCode } from './span.ts';

export interface SpanRow {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly kind: number;
  readonly span_type: string;
  readonly operation: string | null;
  readonly service_name: string | null;
  readonly status_code: StatusCode;
  readonly status_message: string;
  readonly start_ns: string;
  readonly end_ns: string;
  readonly duration_ms: number;
  readonly model: string | null;
  readonly total_tokens: number | null;
  readonly total_cost: number | null;
  readonly attributes: JsonObject;
  readonly resource_attributes: JsonObject;
  readonly events: readonly SpanEvent[] | null;
  readonly links: readonly SpanLink[] | null;
}

/** Of a span `s`, as `toSpan` reads them. */
export const COLUMNS = `s.trace_id, s.span_id, s.parent_span_id, s.name, s.kind, s.span_type, s.operation, s.service_name,
  s.status_code, s.status_message, s.start_time_ns::text as start_ns, s.end_time_ns::text as end_ns,
  s.duration_ns / 1e6::float8 as duration_ms, s.model, s.total_tokens, s.total_cost::float8 as total_cost,
  s.attributes, s.resource_attributes, s.events, s.links`;

/** What the JSON of a span weighs before it is bounded. */
const WEIGHT = `octet_length(s.attributes::text) + octet_length(s.resource_attributes::text)
  + coalesce(octet_length(s.events::text), 0) + coalesce(octet_length(s.links::text), 0)`;

/** More than this of raw span JSON is never taken into memory at once, however large single attributes are. */
const PAGE_WEIGHT_MAX = 8 * 1024 * 1024;

export interface SpanPage {
  readonly spans: readonly Span[];
  readonly hasMore: boolean;
}

export class SpanReadModel {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Spans of one trace by start; fewer than `limit` when they are heavy, but at least one. */
  async page(
    projectId: string,
    traceId: string,
    limit: number,
    after: readonly CursorValue[] | undefined,
  ): Promise<SpanPage> {
    const { rows } = await this.#db.raw<{ rows: (SpanRow & { candidates: number })[] }>(
      `select * from (
         select ${COLUMNS}, s.start_time_ns as sort_ns, count(*) over () as candidates,
           sum(${WEIGHT}) over (order by s.start_time_ns, s.span_id) - (${WEIGHT}) as before
         from (
           select * from spans where project_id = ? and trace_id = ?
             ${after === undefined ? '' : 'and (start_time_ns, span_id) > (?::bigint, ?)'}
           order by start_time_ns, span_id limit ?
         ) s
       ) weighed
       where before < ? order by sort_ns, span_id`,
      [projectId, traceId, ...(after ?? []), limit + 1, PAGE_WEIGHT_MAX],
    );
    const spans = rows.slice(0, limit).map(toSpan);
    return { spans, hasMore: spans.length < (rows[0]?.candidates ?? 0) };
  }

  /** The first `perTrace` spans by start of each trace. */
  async ofTraces(projectId: string, traceIds: readonly string[], perTrace: number): Promise<readonly Span[]> {
    const { rows } = await this.#db.raw<{ rows: SpanRow[] }>(
      `select ${COLUMNS} from unnest(?::text[]) as wanted(trace_id)
       cross join lateral (
         select * from spans where project_id = ? and spans.trace_id = wanted.trace_id
         order by start_time_ns, span_id limit ?
       ) s
       order by s.trace_id, s.start_time_ns, s.span_id`,
      [[...traceIds], projectId, perTrace],
    );
    return rows.map(toSpan);
  }
}

export function toSpan(row: SpanRow): Span {
  return {
    traceId: row.trace_id,
    spanId: row.span_id,
    ...(row.parent_span_id !== null && { parentSpanId: row.parent_span_id }),
    name: row.name,
    kind: row.kind,
    spanType: row.span_type,
    ...(row.operation !== null && { operation: row.operation }),
    ...(row.service_name !== null && { serviceName: row.service_name }),
    statusCode: row.status_code,
    statusMessage: row.status_message,
    startNs: row.start_ns,
    endNs: row.end_ns,
    durationMs: row.duration_ms,
    ...(row.model !== null && { model: row.model }),
    ...(row.total_tokens !== null && { totalTokens: row.total_tokens }),
    ...(row.total_cost !== null && { totalCost: row.total_cost }),
    attributes: row.attributes,
    resourceAttributes: row.resource_attributes,
    events: row.events ?? [],
    links: row.links ?? [],
  };
}
