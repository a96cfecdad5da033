export type TraceOrderKey = 'start_time_ns' | 'duration_ns' | 'received_at' | 'name' | 'status_code';

/** Which traces or spans are wanted; all conditions hold together. Absent means any. */
export interface TraceFilter {
  /** Id of the capability. */
  readonly capabilityId?: string;
  /** The sender's session id, or ours. */
  readonly session?: string;
  readonly search?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly name?: string;
  readonly operation?: string;
  readonly serviceName?: string;
  readonly spanType?: string;
  readonly statusCode?: number;
  readonly hasError?: boolean;
  readonly model?: string;
  readonly hasModel?: boolean;
  readonly startNsGte?: string;
  readonly startNsLte?: string;
  /** RFC 3339 texts, compared with the time of receipt at microseconds. */
  readonly receivedAfter?: string;
  readonly receivedBefore?: string;
  readonly receivedGte?: string;
  readonly receivedLte?: string;
  readonly minDurationMs?: number;
  readonly maxDurationMs?: number;
  readonly totalTokensGte?: number;
  readonly totalTokensLte?: number;
  readonly totalCostGte?: number;
  readonly totalCostLte?: number;
  readonly unbound?: boolean;
}

export interface TraceListQuery extends Omit<TraceFilter, 'capabilityId'> {
  /** Id, slug, name or former identity. */
  readonly capability?: string;
  readonly allSpans: boolean;
  readonly ordering: { readonly key: TraceOrderKey; readonly descending: boolean };
  readonly limit: number;
  readonly cursor?: string;
}

/** One row of a list: a trace by its head span, or a single span. Totals are of the trace, or of the span alone. */
export interface TraceRow {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly capabilitySlug?: string;
  readonly session?: string;
  readonly spanType: string;
  readonly operation?: string;
  readonly serviceName?: string;
  readonly statusCode: number;
  readonly durationMs: number;
  readonly startNs: string;
  readonly receivedAt: string;
  /** Only of traces. */
  readonly spanCount?: number;
  readonly errorCount?: number;
  readonly totalTokens?: number;
  readonly totalCost?: number;
  readonly model?: string;
  /** Live while no root span is stored. */
  readonly isLive: boolean;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly nextCursor?: string;
  /** Known only when all matches are on this page. */
  readonly total?: number;
}
