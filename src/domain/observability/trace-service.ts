import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { CursorValue, PageCursors } from '../../kernel/page-cursor.ts';
import type { Capability, CapabilityService } from '../capabilities/index.ts';
import { CallReadModel, type CallQuery, type CallRef, type LlmCall } from './call-read-model.ts';
import { SpanBounds, type BoundedSpan } from './span-bounds.ts';
import type { Span } from './span.ts';
import { SpanReadModel, type SpanPage } from './span-read-model.ts';
import { SHARED, TraceListReadModel } from './trace-list-read-model.ts';
import type { Page, TraceFilter, TraceListQuery, TraceRow } from './trace-query.ts';
import { TraceReadModel, type TraceSummary } from './trace-read-model.ts';
import type { TraceFailure, TraceView, TraceWithSpans } from './trace-view.ts';

export interface TraceServiceParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly cursors: PageCursors;
  readonly capabilities: CapabilityService;
}

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPANS_MAX = 100;
/** Bytes of span JSON in one reading of a trace; its envelope and one last span fit into 60 kB with it. */
const READING_BYTES = 44_000;
/** Spans of one trace that row makers get; a trace beyond this is a log, not a conversation. */
const SPANS_PER_TRACE_MAX = 2_000;
const DAY_MS = 86_400_000;

/** Finds and reads traces. Nothing outside the project is ever told apart from nothing at all. */
export class TraceService {
  readonly #parts: TraceServiceParts;
  readonly #lists: TraceListReadModel;
  readonly #traces: TraceReadModel;
  readonly #spans: SpanReadModel;
  readonly #calls: CallReadModel;
  readonly #bounds = new SpanBounds();

  constructor(parts: TraceServiceParts) {
    this.#parts = parts;
    this.#lists = new TraceListReadModel(parts.db);
    this.#traces = new TraceReadModel(parts.db);
    this.#spans = new SpanReadModel(parts.db);
    this.#calls = new CallReadModel(parts.db);
  }

  /** One page of traces, or of spans with `allSpans`. A cursor is good for the same filters and order only. */
  async list(projectId: string, query: TraceListQuery): Promise<Page<TraceRow>> {
    const { capability, allSpans, ordering, limit, cursor, ...rest } = query;
    const next = SHARED.has(ordering.key) ? 'start' : undefined;
    const identity = { list: 'traces', projectId, capability, allSpans, ordering, next, rest };
    const after = cursor === undefined ? undefined : this.#parts.cursors.open(identity, cursor);
    const filter = await this.#filterOf(projectId, capability, rest);
    const found = await this.#lists.list(projectId, { allSpans, ordering, filter, limit: limit + 1 }, after);
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const hasMore = found.length > limit;
    return {
      rows: rows.map(({ row }) => {
        const name = this.#bounds.text(row.name);
        return name === row.name ? row : { ...row, name };
      }),
      hasMore,
      ...(hasMore && last !== undefined && { nextCursor: this.#parts.cursors.seal(identity, last.position) }),
      ...(!hasMore && cursor === undefined && { total: rows.length }),
    };
  }

  /** A trace with its first spans, or those after the cursor; bounded in bytes, secrets taken out. */
  async read(projectId: string, traceId: string, cursor?: string): Promise<TraceView> {
    const id = traceId.toLowerCase();
    const identity = { list: 'spans', projectId, traceId: id };
    const after = cursor === undefined ? undefined : this.#parts.cursors.open(identity, cursor);
    const trace = TRACE_ID.test(id) ? (await this.#traces.findTraces(projectId, [id]))[0] : undefined;
    if (trace === undefined) throw traceNotFound();
    const { spans, hasMore } = this.#fit(await this.#spans.page(projectId, id, SPANS_MAX, after));
    const last = spans.at(-1);
    return {
      ...toView(trace, this.#bounds),
      spans,
      ...(hasMore && last !== undefined && { nextCursor: this.#parts.cursors.seal(identity, positionOf(last)) }),
    };
  }

  /** The newest failed traces of a capability. */
  async failures(
    projectId: string,
    query: { readonly capability: string; readonly sinceDays: number; readonly limit: number },
  ): Promise<{
    readonly capability: Capability;
    readonly failures: readonly TraceFailure[];
    readonly truncated: boolean;
  }> {
    const capability = await this.#parts.capabilities.require(projectId, query.capability);
    const since = new Date(this.#parts.clock.now().getTime() - query.sinceDays * DAY_MS);
    const found = await this.#traces.failures(projectId, capability.id, since, query.limit + 1);
    const failures = found.slice(0, query.limit).map((failure) => ({
      ...failure,
      name: this.#bounds.text(failure.name),
      message: this.#bounds.text(failure.message),
      tools: failure.tools.map((tool) => this.#bounds.text(tool)),
      ...(failure.errorType !== undefined && { errorType: this.#bounds.text(failure.errorType) }),
    }));
    return { capability, failures, truncated: found.length > query.limit };
  }

  /** Ids of the traces that match, newest start first; for those who make something of whole traces. */
  async select(
    projectId: string,
    filter: Omit<TraceFilter, 'capabilityId'> & { readonly capability?: string },
    limit: number,
  ): Promise<readonly string[]> {
    const { capability, ...rest } = filter;
    return this.#lists.selectIds(projectId, await this.#filterOf(projectId, capability, rest), limit);
  }

  /** Which of these ids are traces of the project, in the order given, each once. */
  async existing(projectId: string, traceIds: readonly string[]): Promise<readonly string[]> {
    const wanted = [...new Set(traceIds.map((id) => id.toLowerCase()))];
    const found = new Set((await this.#traces.findTraces(projectId, wanted)).map((trace) => trace.traceId));
    return wanted.filter((id) => found.has(id));
  }

  /**
   * Whole traces as they were stored, in the order given; unknown ids are left out. Nothing is redacted here: the
   * data stays inside the platform. Ask for some dozens at a time, they are held in memory.
   */
  async load(projectId: string, traceIds: readonly string[]): Promise<readonly TraceWithSpans[]> {
    const traces = new Map((await this.#traces.findTraces(projectId, traceIds)).map((trace) => [trace.traceId, trace]));
    const byTrace = new Map<string, Span[]>();
    for (const span of await this.#spans.ofTraces(projectId, [...traces.keys()], SPANS_PER_TRACE_MAX)) {
      const spans = byTrace.get(span.traceId);
      if (spans === undefined) byTrace.set(span.traceId, [span]);
      else spans.push(span);
    }
    return traceIds.flatMap((id) => {
      const trace = traces.get(id);
      return trace === undefined ? [] : [withSpans(trace, byTrace.get(id) ?? [])];
    });
  }

  /** Model calls of a capability, newest first. */
  async selectCalls(projectId: string, query: CallQuery): Promise<readonly CallRef[]> {
    return this.#calls.select(projectId, query);
  }

  /** The calls as they were stored; see `load`. */
  async loadCalls(projectId: string, calls: readonly CallRef[]): Promise<readonly LlmCall[]> {
    return this.#calls.load(projectId, calls);
  }

  async #filterOf(
    projectId: string,
    capability: string | undefined,
    rest: Omit<TraceFilter, 'capabilityId'>,
  ): Promise<TraceFilter> {
    if (capability === undefined) return rest;
    return { ...rest, capabilityId: (await this.#parts.capabilities.require(projectId, capability)).id };
  }

  /** As many spans as the reading has room for, and at least one. */
  #fit(page: SpanPage): { readonly spans: readonly BoundedSpan[]; readonly hasMore: boolean } {
    const spans: BoundedSpan[] = [];
    let bytes = 0;
    for (const span of page.spans) {
      const bounded = this.#bounds.bound(span);
      bytes += Buffer.byteLength(JSON.stringify(bounded));
      if (spans.length > 0 && bytes > READING_BYTES) break;
      spans.push(bounded);
    }
    return { spans, hasMore: page.hasMore || spans.length < page.spans.length };
  }
}

function positionOf(span: Span): readonly CursorValue[] {
  return [span.startNs, span.spanId];
}

function traceNotFound(): AppError {
  return new AppError('resource_not_found', 'This project has no trace with that id. Find ids with query_traces.', {
    fields: { field: 'trace_id' },
  });
}

function toView(trace: TraceSummary, bounds: SpanBounds): Omit<TraceView, 'spans' | 'nextCursor'> {
  return {
    traceId: trace.traceId,
    spanCount: trace.spanCount,
    errorCount: trace.errorCount,
    ...(trace.totalTokens !== undefined && { totalTokens: trace.totalTokens }),
    ...(trace.totalCost !== undefined && { totalCost: trace.totalCost }),
    ...(trace.session !== undefined && { session: trace.session }),
    ...(trace.hasRoot && {
      root: {
        spanId: trace.headSpanId,
        name: bounds.text(trace.name),
        ...(trace.capabilitySlug !== undefined && { capabilitySlug: trace.capabilitySlug }),
        statusCode: trace.statusCode,
        durationMs: trace.durationMs,
      },
    }),
  };
}

function withSpans(trace: TraceSummary, spans: readonly Span[]): TraceWithSpans {
  return {
    traceId: trace.traceId,
    headSpanId: trace.headSpanId,
    name: trace.name,
    ...(trace.capabilityId !== undefined && { capabilityId: trace.capabilityId }),
    ...(trace.session !== undefined && { session: trace.session.externalId }),
    failed: trace.failed,
    ...(trace.model !== undefined && { model: trace.model }),
    ...(trace.totalTokens !== undefined && { totalTokens: trace.totalTokens }),
    ...(trace.totalCost !== undefined && { totalCost: trace.totalCost }),
    startNs: trace.startNs,
    durationMs: trace.durationMs,
    spans,
    omittedSpans: Math.max(0, trace.spanCount - spans.length),
  };
}
