import { nanosOfMs, SqlConditions, storableInstant, storableNanos, type Binding } from './sql-conditions.ts';
import { addSearch } from './trace-list-search.ts';
import type { ListSource } from './trace-list-source.ts';
import type { TraceFilter } from './trace-query.ts';

/** What a row of the list must be like to be in it; with `byLabel`, one of the label that `named` stands for. */
export function conditionsOf(
  projectId: string,
  source: ListSource,
  filter: TraceFilter,
  byLabel = false,
): SqlConditions {
  const { main } = source;
  const hasCapability = source.hasCapability('?');
  const conditions = new SqlConditions()
    .add(`${main}.project_id = ?`, projectId)
    .add(`${main}.trace_id = ?`, filter.traceId?.toLowerCase())
    .add(`${source.spanId} = ?`, filter.spanId?.toLowerCase())
    .add(`${main}.name = ?`, filter.name)
    .add(`${main}.operation = ?`, filter.operation)
    .add(`${main}.service_name = ?`, filter.serviceName)
    .add(`${main}.span_type = ?`, filter.spanType)
    .add(`${main}.status_code = ?`, filter.statusCode)
    .either(filter.hasError, source.failed, `not ${source.failed}`)
    .add(`${main}.model = ?`, filter.model)
    .either(filter.hasModel, `${main}.model is not null`, `${main}.model is null`)
    .add(`${main}.start_time_ns >= ?`, storableNanos(filter.startNsGte))
    .add(`${main}.start_time_ns <= ?`, storableNanos(filter.startNsLte))
    .add(`${main}.received_at > ?::timestamptz`, storableInstant(filter.receivedAfter))
    .add(`${main}.received_at < ?::timestamptz`, storableInstant(filter.receivedBefore))
    .add(`${main}.received_at >= ?::timestamptz`, storableInstant(filter.receivedGte))
    .add(`${main}.received_at <= ?::timestamptz`, storableInstant(filter.receivedLte))
    .add(`${main}.duration_ns >= ?`, nanosOfMs(filter.minDurationMs))
    .add(`${main}.duration_ns <= ?`, nanosOfMs(filter.maxDurationMs))
    .add(`${main}.total_tokens >= ?`, filter.totalTokensGte)
    .add(`${main}.total_tokens <= ?`, filter.totalTokensLte)
    .add(`${main}.total_cost >= ?::numeric`, text(filter.totalCostGte))
    .add(`${main}.total_cost <= ?::numeric`, text(filter.totalCostLte))
    .add(hasCapability, filter.capabilityId, repeat(timesNamed(hasCapability), [filter.capabilityId ?? '']))
    .add(ANY_LENDER, source.ofLenders && filter.capabilityId, [projectId, filter.capabilityId ?? ''])
    .either(filter.unbound, source.isUnbound, `not ${source.isUnbound}`);
  if (filter.search !== undefined) {
    addSearch(conditions, projectId, source, { text: filter.search.toLowerCase(), byLabel });
  }
  if (filter.session !== undefined) {
    // One look-up before the scan: the planner then knows one id and can walk the session's own index.
    const sessionId = `(select id from conversations where project_id = ? and (external_id = ? or id = ?)
      order by (external_id = ?) desc limit 1)`;
    const { session } = filter;
    const hasConversation = source.hasConversation(sessionId);
    const bindings = [projectId, session, session, session];
    conditions.add(hasConversation, session, repeat(timesNamed(hasConversation) / bindings.length, bindings));
  }
  return conditions;
}

/** Looked up once, before a list is walked that would turn out to have nothing. */
const ANY_LENDER = `exists (select from traces lender
  where lender.project_id = ? and lender.capability_id = ? and lender.has_bare_spans)`;

function timesNamed(text: string): number {
  return text.split('?').length - 1;
}

function repeat<T>(times: number, values: readonly T[]): readonly T[] {
  return Array.from({ length: times }, () => values).flat();
}

/** Costs travel as text, so that the database compares the same decimal the caller wrote. */
function text(value: number | undefined): Binding | undefined {
  return value === undefined ? undefined : String(value);
}
