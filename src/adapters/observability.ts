import type { ObservabilityAdapters } from '../../generated/contracts/adapters.ts';
import type { QueryTaskExecutionsInput } from '../../generated/contracts/tools/observability/query_task_executions.ts';
import type { QueryTracesInput } from '../../generated/contracts/tools/observability/query_traces.ts';
import type { Observability, TaskExecutionListQuery, TraceListQuery } from '../domain/observability/index.ts';
import { linkCapability } from '../presenters/links.ts';
import {
  linkTraces,
  presentFailure,
  presentHealth,
  presentPage,
  presentTaskExecution,
  presentTraceRow,
} from '../presenters/observability.ts';
import type { Contexts } from './contexts.ts';

export function observabilityAdapters({
  traces,
  health,
  taskExecutions,
}: Pick<Observability, 'traces' | 'health' | 'taskExecutions'>): ObservabilityAdapters<Contexts> {
  return {
    async query_traces(input, { project }) {
      const page = await traces.list(project.id, toTraceQuery(input));
      const rows = page.rows.map(presentTraceRow);
      return {
        summary: summaryOf(rows.length, input.all_spans ? 'span' : 'trace', page.hasMore),
        traces: rows,
        n: rows.length,
        page: presentPage(page, input.limit),
        all_spans: input.all_spans,
        resource_links: linkTraces(rows),
      };
    },
    async query_failures(input, { project }) {
      const { capability, since_days: sinceDays, limit } = input;
      const found = await traces.failures(project.id, { capability, sinceDays, limit });
      const failures = found.failures.map(presentFailure);
      return {
        summary: `${summaryOf(failures.length, 'failed trace', found.truncated)} Window: ${sinceDays} days.`,
        capability: found.capability.slug,
        since_days: sinceDays,
        failures,
        n: failures.length,
        truncated: found.truncated,
        resource_links: [linkCapability(found.capability), ...linkTraces(failures)],
      };
    },
    async inspect_capability_health(input, { project }) {
      const found = await health.inspect(project.id, given({ capability: input.capability, days: input.days }));
      const { n, errors } = found.health.traffic;
      return {
        summary: `${summaryOf(n, 'trace', false)} ${errors} failed. Window: ${input.days} days.`,
        ...presentHealth(found.health, found.capability),
      };
    },
    async query_task_executions(input, { project }) {
      const page = await taskExecutions.list(project.id, toExecutionQuery(input));
      const rows = page.rows.map(presentTaskExecution);
      return {
        summary: summaryOf(rows.length, 'task execution', page.hasMore),
        task_executions: rows,
        n: rows.length,
        page: presentPage(page, input.limit),
        resource_links: linkTraces(rows),
      };
    },
  };
}

function toTraceQuery(input: QueryTracesInput): TraceListQuery {
  const status = input.status && STATUS_CODES[input.status];
  return given({
    capability: input.capability,
    session: input.session,
    search: input.search,
    traceId: input.trace_id,
    spanId: input.span_id,
    name: input.name,
    operation: input.operation,
    serviceName: input.service_name,
    spanType: input.span_type,
    statusCode: status ?? input.status_code,
    hasError: status === undefined ? input.has_error : undefined,
    model: input.model,
    hasModel: input.has_model,
    startNsGte: input.start_time_ns__gte,
    startNsLte: input.start_time_ns__lte,
    receivedAfter: input.start_after,
    receivedBefore: input.start_before,
    minDurationMs: input.min_duration_ms,
    maxDurationMs: input.max_duration_ms,
    totalTokensGte: input.total_tokens_gte,
    totalTokensLte: input.total_tokens_lte,
    totalCostGte: input.total_cost_gte,
    totalCostLte: input.total_cost_lte,
    unbound: input.unbound,
    cursor: input.cursor,
    limit: input.limit,
    allSpans: input.all_spans,
    ordering: ORDERINGS[input.ordering],
  });
}

function toExecutionQuery(input: QueryTaskExecutionsInput): TaskExecutionListQuery {
  return given({
    capability: input.capability,
    behaviour: input.behaviour,
    bindingSource: input.binding_source,
    traceId: input.trace_id,
    status: input.status,
    startedAfter: input.started_after,
    startedBefore: input.started_before,
    minDurationMs: input.min_duration_ms,
    maxDurationMs: input.max_duration_ms,
    hasError: input.has_error,
    serviceName: input.service_name,
    operation: input.operation,
    spanType: input.span_type,
    statusCode: input.status_code,
    model: input.model,
    hasModel: input.has_model,
    totalTokensGte: input.total_tokens_gte,
    totalTokensLte: input.total_tokens_lte,
    totalCostGte: input.total_cost_gte,
    totalCostLte: input.total_cost_lte,
    cursor: input.cursor,
    limit: input.limit,
  });
}

const STATUS_CODES: Readonly<Record<NonNullable<QueryTracesInput['status']>, number>> = {
  ok: 1,
  error: 2,
  '1': 1,
  '2': 2,
};

const ORDERINGS: Readonly<Record<QueryTracesInput['ordering'], TraceListQuery['ordering']>> = {
  start_time_ns: { key: 'start_time_ns', descending: false },
  '-start_time_ns': { key: 'start_time_ns', descending: true },
  duration_ns: { key: 'duration_ns', descending: false },
  '-duration_ns': { key: 'duration_ns', descending: true },
  received_at: { key: 'received_at', descending: false },
  '-received_at': { key: 'received_at', descending: true },
  name: { key: 'name', descending: false },
  '-name': { key: 'name', descending: true },
  status_code: { key: 'status_code', descending: false },
  '-status_code': { key: 'status_code', descending: true },
};

type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Without the members that are undefined: an absent argument is an absent condition. */
function given<T extends object>(values: T): Given<T> {
  // because dropping undefined members is exactly what the type says
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}

function summaryOf(count: number, noun: string, more: boolean): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}${more ? ' listed; more follow' : ''}.`;
}
