import { resourceUri } from '../../generated/catalog/resource-uris.ts';
import type { Page as WirePage } from '../../generated/contracts/models/page.ts';
import type { Span as WireSpan } from '../../generated/contracts/models/span.ts';
import type { TaskExecution as WireTaskExecution } from '../../generated/contracts/models/task_execution.ts';
import type { TraceRow as WireTraceRow } from '../../generated/contracts/models/trace_row.ts';
import type { Traffic as WireTraffic } from '../../generated/contracts/models/traffic.ts';
import type { ResourceLink } from '../../generated/contracts/models/resource_link.ts';
import type { SessionPayload } from '../../generated/contracts/resources/session.ts';
import type { TracePayload } from '../../generated/contracts/resources/trace.ts';
import type { InspectCapabilityHealthOutput } from '../../generated/contracts/tools/observability/inspect_capability_health.ts';
import type { QueryFailuresOutput } from '../../generated/contracts/tools/observability/query_failures.ts';
import type { Capability } from '../domain/capabilities/index.ts';
import type {
  BoundedSpan,
  Health,
  Page,
  SessionView,
  TaskExecution,
  TraceFailure,
  TraceRow,
  TraceView,
  Traffic,
} from '../domain/observability/index.ts';
import { clip } from '../kernel/bounded.ts';
import { linkCapability, linkSession, linkTrace } from './links.ts';

/** What the contracts can carry; larger figures are a sender's fault and must not cost the reader the whole answer. */
const DURATION_MS_MAX = 1e12;
const COST_MAX = 1e9;
const TOTAL_COST_MAX = 1e12;
const SESSION_NAME_LENGTH = 255;

/** Written field by field: twenty of these make a page, and spreading conditional parts would cost most of its time. */
export function presentTraceRow(row: TraceRow): WireTraceRow {
  const wire: WireTraceRow = {
    trace_id: row.traceId,
    span_id: row.spanId,
    name: row.name,
    span_type: row.spanType,
    status_code: row.statusCode,
    duration_ms: milliseconds(row.durationMs),
    start_time_ns: row.startNs,
    received_at: row.receivedAt,
    trace_status: row.isLive ? 'live' : 'complete',
    resource: linkTrace(row),
  };
  if (row.capabilitySlug !== undefined) wire.capability = row.capabilitySlug;
  if (row.session !== undefined) wire.session = row.session;
  if (row.operation !== undefined) wire.operation = row.operation;
  if (row.serviceName !== undefined) wire.service_name = row.serviceName;
  if (row.spanCount !== undefined) wire.span_count = row.spanCount;
  if (row.errorCount !== undefined) wire.error_count = row.errorCount;
  if (row.totalTokens !== undefined) wire.total_tokens = row.totalTokens;
  if (row.totalCost !== undefined) wire.total_cost = Math.min(row.totalCost, COST_MAX);
  if (row.model !== undefined) wire.model = row.model;
  return wire;
}

export function presentTaskExecution(execution: TaskExecution): WireTaskExecution {
  return {
    id: execution.id,
    ...(execution.capabilitySlug !== undefined && { capability: execution.capabilitySlug }),
    ...(execution.behaviourId !== undefined && { behaviour_id: execution.behaviourId }),
    behaviour_key: execution.behaviourKey,
    trace_id: execution.traceId,
    unit_span_id: execution.unitSpanId,
    ...(execution.session !== undefined && { session: execution.session }),
    binding_source: execution.bindingSource,
    status: execution.status,
    started_at: instantOf(execution.startNs),
    duration_ms: milliseconds(execution.durationMs),
    ...presentUsage(execution),
    resource: linkTrace({ traceId: execution.traceId, name: execution.behaviourKey || execution.traceId }),
  };
}

export function presentPage(page: Page<unknown>, limit: number): WirePage {
  return {
    limit,
    has_more: page.hasMore,
    next_cursor: page.nextCursor ?? null,
    ...(page.total !== undefined && { total: page.total }),
  };
}

export function presentFailure(failure: TraceFailure): QueryFailuresOutput['failures'][number] {
  return {
    trace_ref: `traces:${failure.traceId}`,
    trace_id: failure.traceId,
    name: failure.name,
    summary: failure.message,
    ...(failure.errorType !== undefined && { error_type: failure.errorType }),
    error_spans: failure.errorSpans,
    tools: [...failure.tools],
    start_time_ns: failure.startNs,
    resource: linkTrace(failure),
  };
}

export function presentHealth(
  health: Health,
  capability: Capability | undefined,
): Omit<InspectCapabilityHealthOutput, 'summary'> {
  return {
    days: health.days,
    ...(capability !== undefined && { capability: capability.slug }),
    traces: presentTraffic(health.traffic),
    previous: presentTraffic(health.previous),
    models: health.models.map((use) => ({
      model: use.model,
      calls: use.calls,
      errors: use.errors,
      total_tokens: use.totalTokens,
      total_cost: Math.min(use.totalCost, TOTAL_COST_MAX),
    })),
    errors: health.errors.map(({ message, n }) => ({ message, n })),
    truncated: health.truncated,
    resource_links: capability === undefined ? [] : [linkCapability(capability)],
  };
}

export function presentTrace(trace: TraceView): TracePayload {
  return {
    uri: resourceUri.trace({ trace_id: trace.traceId }),
    kind: 'trace',
    trace_id: trace.traceId,
    span_count: trace.spanCount,
    error_count: trace.errorCount,
    ...presentUsage(trace),
    truncated: trace.nextCursor !== undefined,
    next_cursor: trace.nextCursor ?? null,
    ...(trace.session !== undefined && {
      session: linkSession({ id: trace.session.id, name: trace.session.externalId }),
    }),
    ...(trace.root !== undefined && {
      root: {
        span_id: trace.root.spanId,
        name: trace.root.name,
        ...(trace.root.capabilitySlug !== undefined && { capability: trace.root.capabilitySlug }),
        status_code: trace.root.statusCode,
        duration_ms: milliseconds(trace.root.durationMs),
      },
    }),
    spans: trace.spans.map(presentSpan),
  };
}

export function presentSession(session: SessionView, capability: Capability | undefined): SessionPayload {
  return {
    uri: resourceUri.session({ session: session.id }),
    kind: 'session',
    id: session.id,
    external_id: session.externalId,
    name: clip(session.name, SESSION_NAME_LENGTH),
    ...(capability !== undefined && { capability: capability.slug }),
    trace_count: session.traceCount,
    truncated: session.traceCount > session.traces.length,
    traces: session.traces.map(linkTrace),
    created_at: session.createdAt,
  };
}

/** Links to each trace once, in the order of the rows. */
export function linkTraces(rows: readonly { readonly resource: ResourceLink }[]): ResourceLink[] {
  return [...new Map(rows.map(({ resource }) => [resource.uri, resource])).values()];
}

function presentSpan(span: BoundedSpan): WireSpan {
  return {
    span_id: span.spanId,
    ...(span.parentSpanId !== undefined && { parent_span_id: span.parentSpanId }),
    name: span.name,
    span_type: span.spanType,
    ...(span.operation !== undefined && { operation: span.operation }),
    ...(span.serviceName !== undefined && { service_name: span.serviceName }),
    status_code: span.statusCode,
    ...(span.statusMessage !== '' && { status_message: span.statusMessage }),
    start_time_ns: span.startNs,
    end_time_ns: span.endNs,
    duration_ms: milliseconds(span.durationMs),
    ...presentUsage(span),
    attributes: { ...span.attributes },
    ...(span.events.length > 0 && {
      events: span.events.map(({ name, timeNs, attributes }) => ({
        name,
        time_ns: timeNs,
        attributes: { ...attributes },
      })),
      events_truncated: span.omittedEvents > 0,
    }),
    resource_attributes: { ...span.resourceAttributes },
  };
}

function presentTraffic(traffic: Traffic): WireTraffic {
  return {
    n: traffic.n,
    errors: traffic.errors,
    error_rate: traffic.errorRate,
    ...(traffic.avgDurationMs !== undefined && { avg_duration_ms: milliseconds(traffic.avgDurationMs) }),
    ...(traffic.p50DurationMs !== undefined && { p50_duration_ms: milliseconds(traffic.p50DurationMs) }),
    ...(traffic.p95DurationMs !== undefined && { p95_duration_ms: milliseconds(traffic.p95DurationMs) }),
    total_tokens: traffic.totalTokens,
    total_cost: Math.min(traffic.totalCost, TOTAL_COST_MAX),
  };
}

function presentUsage(of: { readonly totalTokens?: number; readonly totalCost?: number; readonly model?: string }) {
  return {
    ...(of.totalTokens !== undefined && { total_tokens: of.totalTokens }),
    ...(of.totalCost !== undefined && { total_cost: Math.min(of.totalCost, COST_MAX) }),
    ...(of.model !== undefined && { model: of.model }),
  };
}

/** To the microsecond. */
function milliseconds(ms: number): number {
  return Math.min(Math.round(ms * 1000) / 1000, DURATION_MS_MAX);
}

/** RFC 3339 in UTC with the nanoseconds that were stored. */
function instantOf(nanos: string): string {
  const value = BigInt(nanos);
  const seconds = new Date(Number(value / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${(value % 1_000_000_000n).toString().padStart(9, '0')}Z`;
}
