import type { Tx } from '../../db/database.ts';
import { prepared } from '../../db/prepared.ts';
import { arrayMarks, arraysOf, namesOf, type Column } from './column-arrays.ts';
import { sumDecimals } from './decimal.ts';
import { durationOf, type ModelCalls, type TraceDelta } from './roll-up.ts';
import { searchTextOf } from './span-repository.ts';
import type { SpanWeek } from './span-week.ts';

/** Columns of a trace's row: name, type and what a delta brings for it. */
const COLUMNS: readonly Column<TraceDelta>[] = [
  ['trace_id', 'text', (delta) => delta.traceId],
  ['head_rank', 'text', (delta) => delta.headRank],
  ['head_span_id', 'text', ({ head }) => head.spanId],
  ['name', 'text', ({ head }) => head.name],
  ['span_type', 'text', ({ head }) => head.spanType],
  ['operation', 'text', ({ head }) => head.operation],
  ['service_name', 'text', ({ head }) => head.serviceName],
  ['status_code', 'smallint', ({ head }) => head.statusCode],
  ['start_time_ns', 'bigint', ({ head }) => head.startNs.toString()],
  ['duration_ns', 'bigint', ({ head }) => durationOf(head).toString()],
  ['search_text', 'text', ({ head }) => searchTextOf(head)],
  ['capability_id', 'text', ({ capability }) => capability?.value],
  ['capability_rank', 'text', ({ capability }) => capability?.rank],
  ['conversation_id', 'text', ({ conversation }) => conversation?.value],
  ['conversation_rank', 'text', ({ conversation }) => conversation?.rank],
  ['model', 'text', ({ model }) => model?.value],
  ['model_rank', 'text', ({ model }) => model?.rank],
  ['error_message', 'text', ({ error }) => error?.message],
  ['error_type', 'text', ({ error }) => error?.type],
  ['error_rank', 'text', ({ error }) => error?.rank],
  ['has_bare_spans', 'boolean', (delta) => delta.hasBareSpans],
  ['span_count', 'bigint', (delta) => delta.spanCount],
  ['error_count', 'bigint', (delta) => delta.errorCount],
  ['input_tokens', 'bigint', (delta) => delta.inputTokens],
  ['output_tokens', 'bigint', (delta) => delta.outputTokens],
  ['total_tokens', 'bigint', (delta) => delta.totalTokens],
  ['total_cost', 'numeric', ({ costs }) => (costs.length === 0 ? undefined : sumDecimals(costs))],
  ['model_use', 'json', ({ calls }) => calls && modelUseOf(calls)],
  ['first_start_ns', 'bigint', (delta) => delta.firstStartNs.toString()],
  ['last_end_ns', 'bigint', (delta) => delta.lastEndNs.toString()],
];
const COLUMN_NAMES = namesOf(COLUMNS);

/** Columns that describe the head span; they change together. */
const HEAD = [
  'head_span_id',
  'name',
  'span_type',
  'operation',
  'service_name',
  'status_code',
  'start_time_ns',
  'duration_ns',
  'search_text',
];
const RANKED = [
  ...HEAD.map((column) => takeRanked(column, 'head_rank')),
  takeRanked('capability_id', 'capability_rank'),
  takeRanked('conversation_id', 'conversation_rank'),
  takeRanked('model', 'model_rank'),
  takeRanked('error_message', 'error_rank'),
  takeRanked('error_type', 'error_rank'),
];
// `least` and `greatest` pass over a side that is absent.
const SMALLEST = ['head_rank', 'capability_rank', 'conversation_rank', 'model_rank', 'error_rank', 'first_start_ns'];
const ADD = `with added as (
  insert into traces as held (project_id, received_at, updated_at, ${COLUMN_NAMES})
  select ?, received_at, received_at, ${COLUMN_NAMES}
  from unnest(${arrayMarks(COLUMNS)}) as delta(${COLUMN_NAMES}),
    (select ?::timestamptz as received_at) as clock
  on conflict (project_id, trace_id) do update set
    ${RANKED.join(', ')},
    ${[...SMALLEST, 'received_at'].map((column) => `${column} = least(held.${column}, excluded.${column})`).join(', ')},
    ${['last_end_ns', 'updated_at'].map((column) => `${column} = greatest(held.${column}, excluded.${column})`).join(', ')},
    has_bare_spans = held.has_bare_spans or excluded.has_bare_spans,
    model_use = add_model_use(held.model_use, excluded.model_use),
    span_count = held.span_count + excluded.span_count,
    error_count = held.error_count + excluded.error_count,
    ${['input_tokens', 'output_tokens', 'total_tokens', 'total_cost'].map(addNullable).join(', ')}
  returning trace_id, received_at, updated_at
) select trace_id from added where received_at < ?::timestamptz or updated_at >= ?::timestamptz`;

export class TraceRepository {
  readonly #tx: Tx;

  constructor(tx: Tx) {
    this.#tx = tx;
  }

  /**
   * Adds what new spans bring to the rows of their traces. Locks those rows until the transaction ends. Answers the
   * traces that also have spans received outside of the week.
   */
  async add(
    projectId: string,
    deltas: readonly TraceDelta[],
    receivedAt: Date,
    week: Pick<SpanWeek, 'from' | 'until'>,
  ): Promise<ReadonlySet<string>> {
    const rows = await prepared<{ trace_id: string }>(this.#tx, 'traces: add', ADD, [
      projectId,
      ...arraysOf(COLUMNS, deltas),
      receivedAt,
      week.from,
      week.until,
    ]);
    return new Set(rows.map((row) => row.trace_id));
  }
}

/** As the column holds it: calls, errors, tokens and cost of each model. A cost is a text, so that no digit is lost. */
function modelUseOf(calls: ReadonlyMap<string, ModelCalls>): Record<string, readonly (number | string)[]> {
  return Object.fromEntries(
    [...calls].map(([model, one]) => [model, [one.calls, one.errors, one.totalTokens, sumDecimals(one.costs)]]),
  );
}

/** The value of whichever side has the smaller rank. */
function takeRanked(column: string, rank: string): string {
  return `${column} = case when held.${rank} is null or excluded.${rank} < held.${rank}
    then excluded.${column} else held.${column} end`;
}

/** A sum that stays absent until one side has a figure. */
function addNullable(column: string): string {
  return `${column} = case when excluded.${column} is null then held.${column}
    else coalesce(held.${column}, 0) + excluded.${column} end`;
}
