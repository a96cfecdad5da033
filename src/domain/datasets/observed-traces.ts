import type { CapabilityService } from '../capabilities/index.ts';
import type { LlmCall, Span, TraceFilter, TraceService, TraceWithSpans } from '../observability/index.ts';
import { optional } from './optional.ts';
import type {
  CallQuery,
  CallRef,
  SourceCall,
  SourceSpan,
  SourceTrace,
  TraceFilters,
  TraceSource,
} from './trace-source.ts';

type CapabilityName = NonNullable<SourceTrace['capability']>;

const IDS_PER_BATCH = 1_000;
const FAILED = 2;

type StoredTraces = Pick<TraceService, 'existing' | 'load' | 'loadCalls' | 'select' | 'selectCalls'>;

/** The traces that observability stores, as the source of datasets. */
export class ObservedTraces implements TraceSource {
  readonly #traces: StoredTraces;
  readonly #capabilities: Pick<CapabilityService, 'find'>;

  constructor(parts: { readonly traces: StoredTraces; readonly capabilities: Pick<CapabilityService, 'find'> }) {
    this.#traces = parts.traces;
    this.#capabilities = parts.capabilities;
  }

  existing(projectId: string, traceIds: readonly string[]): Promise<readonly string[]> {
    return this.#traces.existing(projectId, traceIds);
  }

  async *matching(projectId: string, filters: TraceFilters, limit: number): AsyncIterable<readonly string[]> {
    const ids = await this.#traces.select(projectId, toFilter(filters), limit);
    for (let start = 0; start < ids.length; start += IDS_PER_BATCH) yield ids.slice(start, start + IDS_PER_BATCH);
  }

  async read(projectId: string, traceIds: readonly string[]): Promise<readonly SourceTrace[]> {
    const traces = await this.#traces.load(projectId, traceIds);
    const names = await this.#namesOf(projectId, traces);
    return traces.map((trace) => toSource(trace, names.get(trace.capabilityId ?? '')));
  }

  selectCalls(projectId: string, query: CallQuery): Promise<readonly CallRef[]> {
    return this.#traces.selectCalls(projectId, query);
  }

  async readCalls(projectId: string, refs: readonly CallRef[]): Promise<readonly SourceCall[]> {
    const calls = await this.#traces.loadCalls(projectId, refs);
    const names = await this.#namesOf(projectId, calls);
    return calls.map((call) => toSourceCall(call, names.get(call.capabilityId ?? '')));
  }

  async #namesOf(
    projectId: string,
    traces: readonly { readonly capabilityId?: string }[],
  ): Promise<ReadonlyMap<string, CapabilityName>> {
    const names = new Map<string, CapabilityName>();
    for (const id of new Set(traces.flatMap((trace) => trace.capabilityId ?? []))) {
      const capability = await this.#capabilities.find(projectId, id);
      if (capability !== undefined) names.set(id, { id, name: capability.name, slug: capability.slug });
    }
    return names;
  }
}

function toFilter(filters: TraceFilters): Omit<TraceFilter, 'capabilityId'> & { capability?: string } {
  return {
    ...optional('capability', filters.capabilityId),
    ...optional('session', filters.session),
    ...optional('hasError', filters.hasError),
    ...optional('model', filters.model),
    ...optional('serviceName', filters.serviceName),
    ...optional('receivedGte', filters.receivedFrom),
    ...optional('receivedLte', filters.receivedTo),
    ...optional('minDurationMs', filters.minDurationMs),
    ...optional('maxDurationMs', filters.maxDurationMs),
    ...optional('totalTokensGte', filters.minTotalTokens),
    ...optional('totalTokensLte', filters.maxTotalTokens),
    ...optional('totalCostGte', filters.minTotalCost),
    ...optional('totalCostLte', filters.maxTotalCost),
    ...optional('unbound', filters.unbound),
    ...optional('search', filters.search),
  };
}

function toSource(trace: TraceWithSpans, capability: CapabilityName | undefined): SourceTrace {
  const head = trace.spans.find((span) => span.spanId === trace.headSpanId);
  const failure = trace.spans.find((span) => span.statusCode === FAILED);
  return {
    traceId: trace.traceId,
    name: trace.name,
    ...optional('serviceName', head?.serviceName),
    ...optional('capability', capability),
    ...optional('session', trace.session),
    ...optional('model', trace.model),
    ...optional('totalTokens', trace.totalTokens),
    ...optional('totalCost', trace.totalCost),
    failed: trace.failed,
    ...optional('errorMessage', trace.failed && failure?.statusMessage ? failure.statusMessage : undefined),
    startNs: BigInt(trace.startNs),
    durationMs: trace.durationMs,
    spanCount: trace.spans.length + trace.omittedSpans,
    spans: trace.spans.map(toSourceSpan),
  };
}

function toSourceCall({ span, session }: LlmCall, capability: CapabilityName | undefined): SourceCall {
  return {
    traceId: span.traceId,
    ...optional('serviceName', span.serviceName),
    ...optional('capability', capability),
    ...optional('session', session),
    ...optional('model', span.model),
    ...optional('totalTokens', span.totalTokens),
    ...optional('totalCost', span.totalCost),
    ...optional('errorMessage', span.statusCode === FAILED && span.statusMessage ? span.statusMessage : undefined),
    durationMs: span.durationMs,
    span: toSourceSpan(span),
  };
}

function toSourceSpan(span: Span): SourceSpan {
  return {
    spanId: span.spanId,
    ...optional('parentSpanId', span.parentSpanId),
    name: span.name,
    spanType: span.spanType,
    startNs: BigInt(span.startNs),
    endNs: BigInt(span.endNs),
    failed: span.statusCode === FAILED,
    attributes: span.attributes,
    events: span.events,
  };
}
