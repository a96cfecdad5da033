import type { Tx } from '../../db/database.ts';
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
    await this.#tx.raw(
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
    const { rows } = await this.#tx.raw<{ rows: StoredUnit[] }>(
      `select trace_id as "traceId", unit_span_id as "unitSpanId" from task_executions
       where project_id = ? and trace_id = any(?::text[])`,
      [projectId, [...traceIds]],
    );
    return rows;
  }

  /** All spans of the traces, with no more than totals need. */
  async spansOf(projectId: string, traceIds: readonly string[]): Promise<ReadonlyMap<string, readonly UnitSpan[]>> {
    const { rows } = await this.#tx.raw<{ rows: UnitSpanRow[] }>(
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

  /** Writes totals, and the capability and session that the unit or its trace turned out to have. */
  async setTotals(projectId: string, units: readonly (StoredUnit & { totals: UnitTotals })[]): Promise<void> {
    await this.#tx.raw(
      `update task_executions execution
       set model = unit.model, total_tokens = unit.total, total_cost = unit.cost,
         capability_id = coalesce(span.capability_id, trace.capability_id),
         conversation_id = coalesce(span.conversation_id, trace.conversation_id)
       from json_to_recordset(?::json) as unit(trace text, span text, model text, total bigint, cost numeric)
       join traces trace on trace.project_id = ? and trace.trace_id = unit.trace
       join spans span on span.project_id = trace.project_id and span.trace_id = unit.trace and span.span_id = unit.span
       where execution.project_id = trace.project_id and execution.trace_id = unit.trace
         and execution.unit_span_id = unit.span`,
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
