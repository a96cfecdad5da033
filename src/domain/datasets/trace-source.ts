/** JSON as observability stores it; whole numbers beyond 2^53 are bigints. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonFields = { readonly [key: string]: Json };

/** Conditions on traces, joined by and. Instants are RFC 3339 texts in UTC. */
export interface TraceFilters {
  readonly capabilityId?: string;
  readonly session?: string;
  readonly hasError?: boolean;
  readonly model?: string;
  readonly serviceName?: string;
  readonly receivedFrom?: string;
  readonly receivedTo?: string;
  readonly minDurationMs?: number;
  readonly maxDurationMs?: number;
  readonly minTotalTokens?: number;
  readonly maxTotalTokens?: number;
  readonly minTotalCost?: number;
  readonly maxTotalCost?: number;
  readonly unbound?: boolean;
  readonly search?: string;
}

/** Which traces become rows, and in what order. */
export type TraceSelection =
  | { readonly kind: 'ids'; readonly traceIds: readonly string[] }
  /** Newest first. `filters.receivedTo` pins the selection: traces that arrive later never join it. */
  | { readonly kind: 'matching'; readonly filters: TraceFilters; readonly limit: number };

export interface SourceSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly spanType: string;
  /** Nanoseconds since the Unix epoch. */
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly failed: boolean;
  readonly attributes: JsonFields;
  readonly events: readonly { readonly name: string; readonly attributes: JsonFields }[];
}

export interface SourceTrace {
  readonly traceId: string;
  readonly name: string;
  readonly serviceName?: string;
  readonly capability?: { readonly id: string; readonly name: string; readonly slug: string };
  /** The session's id as the instrumented program gave it. */
  readonly session?: string;
  readonly model?: string;
  readonly totalTokens?: number;
  /** US dollars. */
  readonly totalCost?: number;
  readonly failed: boolean;
  readonly errorMessage?: string;
  readonly startNs: bigint;
  readonly durationMs: number;
  readonly spanCount: number;
  /** In the order they started; possibly not all of a very large trace. */
  readonly spans: readonly SourceSpan[];
}

export interface CallRef {
  readonly traceId: string;
  readonly spanId: string;
}

/** Which model calls become rows. Instants are RFC 3339 texts. */
export interface CallQuery {
  readonly capabilityId: string;
  /** Calls that started at or after it. */
  readonly since: string;
  /** Calls that started before it. */
  readonly until?: string;
  readonly model?: string;
  readonly limit: number;
}

/** One model call, with what it has from its trace. */
export interface SourceCall extends Pick<
  SourceTrace,
  | 'traceId'
  | 'serviceName'
  | 'capability'
  | 'session'
  | 'model'
  | 'totalTokens'
  | 'totalCost'
  | 'errorMessage'
  | 'durationMs'
> {
  readonly span: SourceSpan;
}

/** Stored traces, as datasets read them. Everything outside the project does not exist. */
export interface TraceSource {
  /** Those of the ids that exist, in the given order. */
  existing(projectId: string, traceIds: readonly string[]): Promise<readonly string[]>;
  /** Ids of the matching traces, newest start first, in batches; at most `limit` in all. */
  matching(projectId: string, filters: TraceFilters, limit: number): AsyncIterable<readonly string[]>;
  /** The traces with these ids, in the given order; ids without a trace are passed over. At most 100 at a time. */
  read(projectId: string, traceIds: readonly string[]): Promise<readonly SourceTrace[]>;
  /** Model calls, newest first. */
  selectCalls(projectId: string, query: CallQuery): Promise<readonly CallRef[]>;
  /** The calls in the given order; those that are gone are passed over. At most 100 at a time. */
  readCalls(projectId: string, calls: readonly CallRef[]): Promise<readonly SourceCall[]>;
}
