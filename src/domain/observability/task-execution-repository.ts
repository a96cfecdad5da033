import type { Tx } from '../../db/database.ts';
import { prepared } from '../../db/prepared.ts';
import { durationOf, rankOf } from './roll-up.ts';
import type { SpanDraft } from './span.ts';
import { bindingSourceOf, executionStatusOf } from './task-execution.ts';
import type { UnitSpan, UnitTotals } from './unit-roll-up.ts';

/** A unit whose totals have to be made again. */
export interface StoredUnit {
  readonly traceId: string;
  readonly unitSpanId: string;
}

interface UnitSpanRow {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly start_ns: string;
  readonly model: string | null;
  readonly total_tokens: number | null;
  readonly cost: number | null;
}

export class TaskExecutionRepository {
  readonly #tx: Tx;

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  async insert(projectId: string, units: readonly { id: string; draft: SpanDraft }[], at: Date): Promise<void> {
    await prepared(
      this.#tx,
      'executions: insert',
      `insert into task_executions (
         project_id, id, trace_id, unit_span_id, behaviour_key, binding_source, status, terminal_kind,
         span_type, operation, service_name, status_code, start_time_ns, duration_ns, created_at)
       select ?, id, trace, span, behaviour, binding, status, terminal, type, op, service, code, start, duration,
         ?::timestamptz
       from json_to_recordset(?::json) as unit(id text, trace text, span text, behaviour text, binding text,
         status text, terminal text, type text, op text, service text, code smallint, start bigint, duration bigint)
       on conflict (project_id, trace_id, unit_span_id) do nothing`,
      [projectId, at, JSON.stringify(units.map(({ id, draft }) => toFields(id, draft)))],
    );
  }

  /** The units of these traces, old and new. */
  async unitsOf(projectId: string, traceIds: readonly string[]): Promise<readonly StoredUnit[]> {
    const rows = await prepared<StoredUnit>(
      this.#tx,
      'executions: units of traces',
      `select trace_id as "traceId", unit_span_id as "unitSpanId" from task_executions
       where project_id = ? and trace_id = any(?::text[])`,
      [projectId, [...traceIds]],
    );
    return rows;
  }

  /** All spans of the traces, with no more than totals need. */
  async spansOf(projectId: string, traceIds: readonly string[]): Promise<ReadonlyMap<string, readonly UnitSpan[]>> {
    const rows = await prepared<UnitSpanRow>(
      this.#tx,
      'executions: spans of traces',
      `select trace_id, span_id, parent_span_id, start_time_ns::text as start_ns, model, total_tokens,
         total_cost::float8 as cost
       from spans where project_id = ? and trace_id = any(?::text[])`,
      [projectId, [...traceIds]],
    );
    const byTrace = new Map<string, UnitSpan[]>();
    for (const row of rows) {
      const spans = byTrace.get(row.trace_id) ?? [];
      spans.push(toUnitSpan(row));
      byTrace.set(row.trace_id, spans);
    }
    return byTrace;
  }

  /** Behaviours that these units name and nobody has named before. */
  async unknownBehaviours(
    projectId: string,
    units: readonly StoredUnit[],
  ): Promise<readonly { readonly capabilityId: string; readonly key: string }[]> {
    const rows = await prepared<{ capabilityId: string; key: string }>(
      this.#tx,
      'executions: unknown behaviours',
      `select distinct coalesce(span.capability_id, trace.capability_id, '') as "capabilityId",
         execution.behaviour_key as key
       from unnest(?::text[], ?::text[]) as unit(trace, span)
       join task_executions execution on execution.project_id = ? and execution.trace_id = unit.trace
         and execution.unit_span_id = unit.span
       join traces trace on trace.project_id = execution.project_id and trace.trace_id = unit.trace
       join spans span on span.project_id = execution.project_id and span.trace_id = unit.trace
         and span.span_id = unit.span
       where execution.behaviour_key <> '' and not exists (select from behaviours known
         where known.project_id = execution.project_id and known.key = execution.behaviour_key
           and known.capability_id = coalesce(span.capability_id, trace.capability_id, ''))
       order by 1, 2`,
      [units.map(({ traceId }) => traceId), units.map(({ unitSpanId }) => unitSpanId), projectId],
    );
    return rows;
  }

  /** In the order given, the same in every process; those another process has made meanwhile stay as they are. */
  async insertBehaviours(
    projectId: string,
    behaviours: readonly { readonly id: string; readonly capabilityId: string; readonly key: string }[],
    at: Date,
  ): Promise<void> {
    await this.#tx.raw(
      `insert into behaviours (project_id, id, capability_id, key, created_at)
       select ?, id, capability_id, key, ?::timestamptz
       from unnest(?::text[], ?::text[], ?::text[]) as made(id, capability_id, key)
       on conflict (project_id, capability_id, key) do nothing`,
      [
        projectId,
        at,
        behaviours.map(({ id }) => id),
        behaviours.map(({ capabilityId }) => capabilityId),
        behaviours.map(({ key }) => key),
      ],
    );
  }

  /** Writes totals, and the capability, session and behaviour that the unit or its trace turned out to have. */
  async setTotals(projectId: string, units: readonly (StoredUnit & { totals: UnitTotals })[]): Promise<void> {
    await prepared(
      this.#tx,
      'executions: set totals',
      `update task_executions execution
       set model = found.model, total_tokens = found.total, total_cost = found.cost,
         capability_id = found.capability_id, conversation_id = found.conversation_id, behaviour_id = found.behaviour_id
       from (
         select unit.*, coalesce(span.capability_id, trace.capability_id) as capability_id,
           coalesce(span.conversation_id, trace.conversation_id) as conversation_id, trace.project_id,
           (select known.id from behaviours known join task_executions named on named.project_id = known.project_id
             and named.trace_id = unit.trace and named.unit_span_id = unit.span and named.behaviour_key = known.key
            where known.project_id = trace.project_id
              and known.capability_id = coalesce(span.capability_id, trace.capability_id, '')) as behaviour_id
         from json_to_recordset(?::json) as unit(trace text, span text, model text, total bigint, cost numeric)
         join traces trace on trace.project_id = ? and trace.trace_id = unit.trace
         join spans span on span.project_id = trace.project_id and span.trace_id = unit.trace
           and span.span_id = unit.span
       ) as found
       where execution.project_id = found.project_id and execution.trace_id = found.trace
         and execution.unit_span_id = found.span
         and (execution.model, execution.total_tokens, execution.total_cost, execution.capability_id,
             execution.conversation_id, execution.behaviour_id)
           is distinct from (found.model, found.total, found.cost, found.capability_id, found.conversation_id,
             found.behaviour_id)`,
      [
        JSON.stringify(
          units.map(({ traceId, unitSpanId, totals }) => ({
            trace: traceId,
            span: unitSpanId,
            model: totals.model,
            total: totals.totalTokens,
            cost: totals.cost,
          })),
        ),
        projectId,
      ],
    );
  }
}

function toFields(id: string, draft: SpanDraft): Record<string, unknown> {
  const behaviourKey = draft.unit?.behaviourKey ?? '';
  return {
    id,
    trace: draft.traceId,
    span: draft.spanId,
    behaviour: behaviourKey,
    binding: bindingSourceOf(behaviourKey),
    status: executionStatusOf(draft),
    terminal: draft.unit?.terminalKind,
    type: draft.spanType,
    op: draft.operation,
    service: draft.serviceName,
    code: draft.statusCode,
    start: draft.startNs.toString(),
    duration: durationOf(draft).toString(),
  };
}

function toUnitSpan(row: UnitSpanRow): UnitSpan {
  const parentSpanId = row.parent_span_id ?? undefined;
  return {
    spanId: row.span_id,
    ...(parentSpanId !== undefined && { parentSpanId }),
    rank: rankOf({ parentSpanId, spanId: row.span_id, startNs: BigInt(row.start_ns) }),
    ...(row.model !== null && { model: row.model }),
    ...(row.total_tokens !== null && { totalTokens: row.total_tokens }),
    ...(row.cost !== null && { cost: row.cost }),
  };
}
