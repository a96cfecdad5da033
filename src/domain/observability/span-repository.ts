import type { Tx } from '../../db/database.ts';
import { arrayMarks, arraysOf, namesOf, type Column } from './column-arrays.ts';
import { durationOf } from './roll-up.ts';
import type { SpanDraft } from './span.ts';

/** A draft whose capability and session are known by id. */
export interface PlacedSpan {
  readonly draft: SpanDraft;
  readonly capabilityId: string | undefined;
  readonly conversationId: string | undefined;
}

/** Columns that differ from span to span: name, type and where the value comes from. */
const COLUMNS: readonly Column<PlacedSpan>[] = [
  ['trace_id', 'text', ({ draft }) => draft.traceId],
  ['span_id', 'text', ({ draft }) => draft.spanId],
  ['parent_span_id', 'text', ({ draft }) => draft.parentSpanId],
  ['name', 'text', ({ draft }) => draft.name],
  ['kind', 'smallint', ({ draft }) => draft.kind],
  ['span_type', 'text', ({ draft }) => draft.spanType],
  ['operation', 'text', ({ draft }) => draft.operation],
  ['service_name', 'text', ({ draft }) => draft.serviceName],
  ['status_code', 'smallint', ({ draft }) => draft.statusCode],
  ['status_message', 'text', ({ draft }) => draft.statusMessage],
  ['start_time_ns', 'bigint', ({ draft }) => draft.startNs.toString()],
  ['end_time_ns', 'bigint', ({ draft }) => draft.endNs.toString()],
  ['duration_ns', 'bigint', ({ draft }) => durationOf(draft).toString()],
  ['model', 'text', ({ draft }) => draft.usage.model],
  ['input_tokens', 'bigint', ({ draft }) => draft.usage.inputTokens],
  ['output_tokens', 'bigint', ({ draft }) => draft.usage.outputTokens],
  ['total_tokens', 'bigint', ({ draft }) => draft.usage.totalTokens],
  ['total_cost', 'numeric', ({ draft }) => draft.usage.cost],
  ['capability_id', 'text', ({ capabilityId }) => capabilityId],
  ['conversation_id', 'text', ({ conversationId }) => conversationId],
  ['scope_name', 'text', ({ draft }) => draft.scopeName],
  ['scope_version', 'text', ({ draft }) => draft.scopeVersion],
  ['search_text', 'text', ({ draft }) => searchTextOf(draft)],
  ['attributes', 'json', ({ draft }) => JSON.stringify(draft.attributes)],
  ['resource_attributes', 'json', ({ draft }) => JSON.stringify(draft.resourceAttributes)],
  ['events', 'json', ({ draft }) => (draft.events.length === 0 ? undefined : JSON.stringify(draft.events))],
  ['links', 'json', ({ draft }) => (draft.links.length === 0 ? undefined : JSON.stringify(draft.links))],
];
const COLUMN_NAMES = namesOf(COLUMNS);
const INSERT_NEW = `insert into spans (project_id, received_at, ${COLUMN_NAMES})
  select ?, ?::timestamptz, ${COLUMN_NAMES}
  from unnest(${arrayMarks(COLUMNS)}) as span(${COLUMN_NAMES})
  on conflict (project_id, trace_id, span_id) do nothing
  returning trace_id || span_id as key`;

export class SpanRepository {
  readonly #tx: Tx;

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  /**
   * Stores the spans that are not stored yet and answers their keys. They travel as one array per column: a value list
   * would hit the driver's limit of 65,535 parameters and be planned anew for every size of batch, and unpacking one
   * JSON text costs the server twice as much. The caller sorts them, so that two processes with the same batch wait
   * for each other instead of deadlocking.
   */
  async insertNew(projectId: string, spans: readonly PlacedSpan[], receivedAt: Date): Promise<ReadonlySet<string>> {
    const { rows } = await this.#tx.raw<{ rows: { key: string }[] }>(INSERT_NEW, [
      projectId,
      receivedAt,
      ...arraysOf(COLUMNS, spans),
    ]);
    return new Set(rows.map((row) => row.key));
  }
}

export function spanKey(span: Pick<SpanDraft, 'traceId' | 'spanId'>): string {
  return span.traceId + span.spanId;
}

/** Text that `search` looks in; lower case is made here, so that it does not depend on the database's locale. */
export function searchTextOf(span: Pick<SpanDraft, 'name' | 'serviceName' | 'traceId' | 'spanId'>): string {
  return `${span.name}\n${span.serviceName ?? ''}\n${span.traceId}\n${span.spanId}`.toLowerCase();
}
