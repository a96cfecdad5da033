import { type Db } from '../../db/database.ts';
import { isUuid } from '../../kernel/ids.ts';
import type { CursorValue } from '../../kernel/page-cursor.ts';
import { NANOS_OF_INSTANT, nanosOfMs, SqlConditions, storableInstant } from './sql-conditions.ts';
import type { BindingSource, ExecutionStatus, TaskExecution } from './task-execution.ts';

/** Which executions are wanted; all conditions hold together. */
export interface TaskExecutionFilter {
  readonly capabilityId?: string;
  /** Its key, or its id. */
  readonly behaviour?: string;
  readonly bindingSource?: string;
  readonly traceId?: string;
  readonly status?: string;
  /** RFC 3339 texts. */
  readonly startedAfter?: string;
  readonly startedBefore?: string;
  readonly minDurationMs?: number;
  readonly maxDurationMs?: number;
  readonly hasError?: boolean;
  readonly serviceName?: string;
  readonly operation?: string;
  readonly spanType?: string;
  readonly statusCode?: number;
  readonly model?: string;
  readonly hasModel?: boolean;
  readonly totalTokensGte?: number;
  readonly totalTokensLte?: number;
  readonly totalCostGte?: number;
  readonly totalCostLte?: number;
}

interface ExecutionRow {
  readonly id: string;
  readonly trace_id: string;
  readonly unit_span_id: string;
  readonly behaviour_id: string | null;
  readonly behaviour_key: string;
  readonly binding_source: BindingSource;
  readonly status: ExecutionStatus;
  readonly terminal_kind: string | null;
  readonly capability: string | null;
  readonly session: string | null;
  readonly start_ns: string;
  readonly duration_ms: number;
  readonly total_tokens: number | null;
  readonly total_cost: number | null;
  readonly model: string | null;
}

export class TaskExecutionReadModel {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Newest start first, after the position. */
  async list(
    projectId: string,
    filter: TaskExecutionFilter,
    limit: number,
    after: readonly CursorValue[] | undefined,
  ): Promise<readonly TaskExecution[]> {
    const conditions = conditionsOf(projectId, filter);
    if (after !== undefined) conditions.add('(e.start_time_ns, e.id) < (?::bigint, ?)', true, after);
    const { rows } = await this.#db.raw<{ rows: ExecutionRow[] }>(
      `select e.id, e.trace_id, e.unit_span_id, e.behaviour_id, e.behaviour_key, e.binding_source, e.status, e.terminal_kind,
         c.slug as capability, v.external_id as session, e.start_time_ns::text as start_ns,
         e.duration_ns / 1e6::float8 as duration_ms, e.total_tokens, e.total_cost::float8 as total_cost, e.model
       from task_executions e
       left join capabilities c on c.project_id = e.project_id and c.id = e.capability_id
       left join conversations v on v.project_id = e.project_id and v.id = e.conversation_id
       where ${conditions.text}
       order by e.start_time_ns desc, e.id desc limit ?`,
      [...conditions.bindings, limit],
    );
    return rows.map(toExecution);
  }
}

function conditionsOf(projectId: string, filter: TaskExecutionFilter): SqlConditions {
  const { behaviour = '' } = filter;
  const isId = isUuid(behaviour);
  return new SqlConditions()
    .add('e.project_id = ?', projectId)
    .add('e.capability_id = ?', filter.capabilityId)
    .add('e.behaviour_key = ?', isId ? undefined : filter.behaviour)
    .add('(e.behaviour_id = ? or e.behaviour_key = ?)', isId ? filter.behaviour : undefined, [behaviour, behaviour])
    .add('e.binding_source = ?', filter.bindingSource)
    .add('e.trace_id = ?', filter.traceId?.toLowerCase())
    .add('e.status = ?', filter.status)
    .add(`e.start_time_ns > ${NANOS_OF_INSTANT}`, storableInstant(filter.startedAfter))
    .add(`e.start_time_ns < ${NANOS_OF_INSTANT}`, storableInstant(filter.startedBefore))
    .add('e.duration_ns >= ?', nanosOfMs(filter.minDurationMs))
    .add('e.duration_ns <= ?', nanosOfMs(filter.maxDurationMs))
    .either(filter.hasError, `e.status = 'error'`, `e.status <> 'error'`)
    .add('e.service_name = ?', filter.serviceName)
    .add('e.operation = ?', filter.operation)
    .add('e.span_type = ?', filter.spanType)
    .add('e.status_code = ?', filter.statusCode)
    .add('e.model = ?', filter.model)
    .either(filter.hasModel, 'e.model is not null', 'e.model is null')
    .add('e.total_tokens >= ?', filter.totalTokensGte)
    .add('e.total_tokens <= ?', filter.totalTokensLte)
    .add('e.total_cost >= ?::numeric', filter.totalCostGte?.toString())
    .add('e.total_cost <= ?::numeric', filter.totalCostLte?.toString());
}

function toExecution(row: ExecutionRow): TaskExecution {
  return {
    id: row.id,
    traceId: row.trace_id,
    unitSpanId: row.unit_span_id,
    ...(row.behaviour_id !== null && { behaviourId: row.behaviour_id }),
    behaviourKey: row.behaviour_key,
    bindingSource: row.binding_source,
    status: row.status,
    ...(row.terminal_kind !== null && { terminalKind: row.terminal_kind }),
    ...(row.capability !== null && { capabilitySlug: row.capability }),
    ...(row.session !== null && { session: row.session }),
    startNs: row.start_ns,
    durationMs: row.duration_ms,
    ...(row.total_tokens !== null && { totalTokens: row.total_tokens }),
    ...(row.total_cost !== null && { totalCost: row.total_cost }),
    ...(row.model !== null && { model: row.model }),
  };
}
