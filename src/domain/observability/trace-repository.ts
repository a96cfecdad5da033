import type { Db, Tx } from '../../db/database.ts';
import { durationOf, type TraceDelta } from './roll-up.ts';
import { searchTextOf } from './span-repository.ts';

const DELTA_FIELDS = `t text, head_rank text, head text, name text, type text, op text, service text, status smallint,
  start bigint, duration bigint, search text, capability text, capability_rank text, conversation text,
  conversation_rank text, model text, model_rank text, error_rank text, error_message text, error_type text,
  spans bigint, errors bigint, input bigint, output bigint, total bigint, costs json, first_start bigint,
  last_end bigint`;

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

export class TraceRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): TraceRepository {
    return new TraceRepository(tx);
  }

  /** Adds what new spans bring to the rows of their traces. Locks those rows until the transaction ends. */
  async add(projectId: string, deltas: readonly TraceDelta[], receivedAt: Date): Promise<void> {
    await this.#db.raw(
      `insert into traces as held (
         project_id, trace_id, head_rank, head_span_id, name, span_type, operation, service_name, status_code,
         start_time_ns, duration_ns, search_text, capability_id, capability_rank, conversation_id, conversation_rank,
         model, model_rank, error_rank, error_message, error_type, span_count, error_count, input_tokens,
         output_tokens, total_tokens, total_cost, first_start_ns, last_end_ns, received_at, updated_at)
       select ?, t, head_rank, head, name, type, op, service, status, start, duration, search, capability,
         capability_rank, conversation, conversation_rank, model, model_rank, error_rank, error_message, error_type,
         spans, errors, input, output, total,
         (select sum(cost::numeric) from json_array_elements_text(costs) as cost), first_start, last_end,
         now_at, now_at
       from json_to_recordset(?::json) as delta(${DELTA_FIELDS}), (select ?::timestamptz as now_at) as clock
       on conflict (project_id, trace_id) do update set
         head_rank = least(held.head_rank, excluded.head_rank),
         ${HEAD.map((column) => takeRanked(column, 'head_rank')).join(', ')},
         ${takeRanked('capability_id', 'capability_rank')},
         capability_rank = least(held.capability_rank, excluded.capability_rank),
         ${takeRanked('conversation_id', 'conversation_rank')},
         conversation_rank = least(held.conversation_rank, excluded.conversation_rank),
         ${takeRanked('model', 'model_rank')},
         model_rank = least(held.model_rank, excluded.model_rank),
         ${takeRanked('error_message', 'error_rank')},
         ${takeRanked('error_type', 'error_rank')},
         error_rank = least(held.error_rank, excluded.error_rank),
         span_count = held.span_count + excluded.span_count,
         error_count = held.error_count + excluded.error_count,
         ${['input_tokens', 'output_tokens', 'total_tokens', 'total_cost'].map(addNullable).join(', ')},
         first_start_ns = least(held.first_start_ns, excluded.first_start_ns),
         last_end_ns = greatest(held.last_end_ns, excluded.last_end_ns),
         received_at = least(held.received_at, excluded.received_at),
         updated_at = greatest(held.updated_at, excluded.updated_at)`,
      [projectId, JSON.stringify(deltas.map(toFields)), receivedAt],
    );
  }
}

/** The value of whichever side has the smaller rank; `least` already passes over a missing rank. */
function takeRanked(column: string, rank: string): string {
  return `${column} = case when held.${rank} is null or excluded.${rank} < held.${rank}
    then excluded.${column} else held.${column} end`;
}

/** A sum that stays absent until one side has a figure. */
function addNullable(column: string): string {
  return `${column} = case when excluded.${column} is null then held.${column}
    else coalesce(held.${column}, 0) + excluded.${column} end`;
}

function toFields(delta: TraceDelta): Record<string, unknown> {
  const { head } = delta;
  return {
    t: delta.traceId,
    head_rank: delta.headRank,
    head: head.spanId,
    name: head.name,
    type: head.spanType,
    op: head.operation,
    service: head.serviceName,
    status: head.statusCode,
    start: head.startNs.toString(),
    duration: durationOf(head).toString(),
    search: searchTextOf(head),
    capability: delta.capability?.value,
    capability_rank: delta.capability?.rank,
    conversation: delta.conversation?.value,
    conversation_rank: delta.conversation?.rank,
    model: delta.model?.value,
    model_rank: delta.model?.rank,
    error_rank: delta.error?.rank,
    error_message: delta.error?.message,
    error_type: delta.error?.type,
    spans: delta.spanCount,
    errors: delta.errorCount,
    input: delta.inputTokens,
    output: delta.outputTokens,
    total: delta.totalTokens,
    costs: delta.costs.map(String),
    first_start: delta.firstStartNs.toString(),
    last_end: delta.lastEndNs.toString(),
  };
}
