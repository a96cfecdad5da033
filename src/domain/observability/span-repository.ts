import type { Tx } from '../../db/database.ts';
import { prepared } from '../../db/prepared.ts';
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
  ['attributes', 'json', ({ draft }) => draft.attributes],
  ['resource_attributes', 'json', ({ draft }) => draft.resourceAttributes],
  ['events', 'json', ({ draft }) => (draft.events.length === 0 ? undefined : draft.events)],
  ['links', 'json', ({ draft }) => (draft.links.length === 0 ? undefined : draft.links)],
];
const COLUMN_NAMES = namesOf(COLUMNS);
const INSERT_NEW = `insert into ?? (project_id, received_at, ${COLUMN_NAMES})
  select ?, ?::timestamptz, ${COLUMN_NAMES}
  from unnest(${arrayMarks(COLUMNS)}) as span(${COLUMN_NAMES})
  where not exists (select from only spans held
    where held.project_id = ? and held.trace_id = span.trace_id and held.span_id = span.span_id)
  order by span.trace_id collate "C", span.span_id collate "C"
  on conflict (project_id, trace_id, span_id) do nothing
  returning trace_id || span_id as key`;

export class SpanRepository {
  readonly #tx: Tx;

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  /**
   * Stores the spans that are neither in this table nor in `spans` itself, and answers their keys. They travel as one
   * array per column: a value list would hit the driver's limit of 65,535 parameters and be planned anew for every
   * size of batch, and unpacking one JSON text costs the server twice as much. They go in sorted, whatever join the
   * planner chose before, so that two processes with the same batch wait for each other instead of deadlocking.
   */
  async insertNew(
    projectId: string,
    spans: readonly PlacedSpan[],
    { table, receivedAt }: { readonly table: string; readonly receivedAt: Date },
  ): Promise<ReadonlySet<string>> {
    const rows = await prepared<{ key: string }>(this.#tx, `spans: insert into ${table}`, INSERT_NEW, [
      table,
      projectId,
      receivedAt,
      ...arraysOf(COLUMNS, spans),
      projectId,
    ]);
    return new Set(rows.map((row) => row.key));
  }

  /** Which of these spans are stored in other tables than this one. */
  async storedElsewhere(
    projectId: string,
    spans: readonly Pick<SpanDraft, 'traceId' | 'spanId'>[],
    table: string,
  ): Promise<ReadonlySet<string>> {
    const { rows } = await this.#tx.raw<{ rows: { key: string }[] }>(
      `select held.trace_id || held.span_id as key
       from unnest(?::text[], ?::text[]) as span(trace_id, span_id)
       join spans held on held.project_id = ? and held.trace_id = span.trace_id and held.span_id = span.span_id
       where held.tableoid <> ?::regclass`,
      [spans.map(({ traceId }) => traceId), spans.map(({ spanId }) => spanId), projectId, table],
    );
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
