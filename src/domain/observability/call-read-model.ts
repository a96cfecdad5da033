import type { Db } from '../../db/database.ts';
import { COLUMNS, toSpan, type SpanRow } from './span-read-model.ts';
import type { Span } from './span.ts';
import { NANOS_OF_INSTANT, SqlConditions, storableInstant } from './sql-conditions.ts';

/** Which model calls are meant. Instants are RFC 3339 texts. */
export interface CallQuery {
  readonly capabilityId: string;
  /** Calls that started at or after it. */
  readonly since: string;
  /** Calls that started before it. */
  readonly until?: string;
  /** Exact name. */
  readonly model?: string;
  readonly limit: number;
}

export interface CallRef {
  readonly traceId: string;
  readonly spanId: string;
}

/** One model call with what it takes from its trace. */
export interface LlmCall {
  readonly span: Span;
  readonly capabilityId?: string;
  /** The session's id as the instrumented program gave it. */
  readonly session?: string;
}

const CALL = 'llm_call';

/** Model calls, whatever trace they are part of. A call without a capability or session of its own has its trace's. */
export class CallReadModel {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Newest first. */
  async select(projectId: string, query: CallQuery): Promise<readonly CallRef[]> {
    const { capabilityId } = query;
    const conditions = new SqlConditions()
      .add('s.project_id = ?', projectId)
      .add('s.span_type = ?', CALL)
      .add('(s.capability_id = ? or (s.capability_id is null and t.capability_id = ?))', capabilityId, [
        capabilityId,
        capabilityId,
      ])
      .add(`s.start_time_ns >= ${NANOS_OF_INSTANT}`, storableInstant(query.since))
      .add(`s.start_time_ns < ${NANOS_OF_INSTANT}`, storableInstant(query.until))
      .add('s.model = ?', query.model);
    const { rows } = await this.#db.raw<{ rows: { trace_id: string; span_id: string }[] }>(
      `select s.trace_id, s.span_id
       from spans s join traces t on t.project_id = s.project_id and t.trace_id = s.trace_id
       where ${conditions.text}
       order by s.start_time_ns desc, s.trace_id desc, s.span_id desc limit ?`,
      [...conditions.bindings, query.limit],
    );
    return rows.map((row) => ({ traceId: row.trace_id, spanId: row.span_id }));
  }

  /** In the order given; calls that are gone are left out. */
  async load(projectId: string, calls: readonly CallRef[]): Promise<readonly LlmCall[]> {
    const { rows } = await this.#db.raw<{ rows: (SpanRow & CallRow)[] }>(
      `select ${COLUMNS}, coalesce(s.capability_id, t.capability_id) as call_capability_id,
         v.external_id as call_session
       from unnest(?::text[], ?::text[]) with ordinality as wanted(trace_id, span_id, place)
       join spans s on s.project_id = ? and s.trace_id = wanted.trace_id and s.span_id = wanted.span_id
       join traces t on t.project_id = s.project_id and t.trace_id = s.trace_id
       left join conversations v on v.project_id = s.project_id
         and v.id = coalesce(s.conversation_id, t.conversation_id)
       order by wanted.place`,
      [calls.map(({ traceId }) => traceId), calls.map(({ spanId }) => spanId), projectId],
    );
    return rows.map((row) => ({
      span: toSpan(row),
      ...(row.call_capability_id !== null && { capabilityId: row.call_capability_id }),
      ...(row.call_session !== null && { session: row.call_session }),
    }));
  }
}

interface CallRow {
  readonly call_capability_id: string | null;
  readonly call_session: string | null;
}
