import { instantText, type Db } from '../../db/database.ts';
import type { CursorValue } from '../../kernel/page-cursor.ts';
import type { Binding, SqlConditions } from './sql-conditions.ts';
import { conditionsOf } from './trace-list-conditions.ts';
import { toTraceRow, type ListRow } from './trace-list-row.ts';
import { SPANS, SPANS_OF_CAPABILITY, SPANS_OF_SESSION, TRACES, type ListSource } from './trace-list-source.ts';
import type { TraceFilter, TraceListQuery, TraceOrderKey, TraceRow } from './trace-query.ts';

/** A row with the exact value it was sorted by, as the database wrote it. */
export interface PlacedRow {
  readonly row: TraceRow;
  readonly position: readonly CursorValue[];
}

const SORT_TEXT: Readonly<Record<TraceOrderKey, (column: string) => string>> = {
  start_time_ns: (column) => `${column}::text`,
  duration_ns: (column) => `${column}::text`,
  received_at: (column) => instantText(column),
  name: (column) => column,
  status_code: (column) => column,
};
const SORT_CAST: Readonly<Record<TraceOrderKey, string>> = {
  start_time_ns: 'bigint',
  duration_ns: 'bigint',
  received_at: 'timestamptz',
  name: 'text',
  status_code: 'smallint',
};

/** Keys of an order that tell little: whoever opens a cursor must know that its position has the start too. */
export const SHARED: ReadonlySet<TraceOrderKey> = new Set(['name', 'status_code']);

/** Lists of traces and of spans: one statement each, whose cost grows with the page and not with the project. */
export class TraceListReadModel {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Up to `limit` rows after the position, in the order asked for. */
  async list(
    projectId: string,
    query: ListQuery,
    after: readonly CursorValue[] | undefined,
  ): Promise<readonly PlacedRow[]> {
    const parts = sourcesOf(query).map((source) => selectOf(projectId, { source, query, after }));
    const { sql, bindings } = merged(parts, query);
    const { rows } = await this.#db.raw<{ rows: ListRow[] }>(sql, [...bindings]);
    return rows.map((row) => ({
      row: toTraceRow(row),
      position: [
        row.sort_value,
        ...(SHARED.has(query.ordering.key) ? [row.start_ns] : []),
        row.trace_id,
        ...(query.allSpans ? [row.span_id] : []),
      ],
    }));
  }

  /** Traces that became visible after the arrival, in that order. */
  async arrivals(
    projectId: string,
    after: string,
    limit: number,
  ): Promise<readonly { readonly row: TraceRow; readonly arrival: string }[]> {
    const { rows } = await this.#db.raw<{ rows: (ListRow & { readonly arrival: string })[] }>(
      `select ${columnsOf(TRACES)}, t.arrival::text as arrival from ${TRACES.table} ${TRACES.joins}
       where t.project_id = ? and t.arrival > ?::bigint order by t.arrival limit ?`,
      [projectId, after, limit],
    );
    return rows.map((row) => ({ row: toTraceRow(row), arrival: row.arrival }));
  }

  /** 0 when nothing has arrived. */
  async lastArrival(projectId: string): Promise<string> {
    const { rows } = await this.#db.raw<{ rows: { last: string }[] }>(
      'select coalesce(max(arrival), 0)::text as last from traces where project_id = ?',
      [projectId],
    );
    return rows[0]?.last ?? '0';
  }

  /** Ids of matching traces, newest start first. */
  async selectIds(projectId: string, filter: TraceFilter, limit: number): Promise<readonly string[]> {
    const conditions = conditionsOf(projectId, TRACES, filter);
    const { rows } = await this.#db.raw<{ rows: { trace_id: string }[] }>(
      `select t.trace_id from ${TRACES.table} where ${conditions.text}
       order by t.start_time_ns desc, t.trace_id desc limit ?`,
      [...conditions.bindings, limit],
    );
    return rows.map((row) => row.trace_id);
  }
}

type ListQuery = Pick<TraceListQuery, 'allSpans' | 'ordering' | 'limit'> & { readonly filter: TraceFilter };

interface Select {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}

function sourcesOf({ allSpans, filter }: ListQuery): readonly ListSource[] {
  if (!allSpans) return [TRACES];
  if (filter.session !== undefined) return SPANS_OF_SESSION;
  return filter.capabilityId === undefined ? [SPANS] : SPANS_OF_CAPABILITY;
}

/** The columns a list is sorted by; together they are different on every row. */
function keysOf(source: ListSource, key: TraceOrderKey): readonly string[] {
  // Values that many rows share go on by start, which the indexes of the filters hold as well.
  const shared = SHARED.has(key) ? [`${source.main}.start_time_ns`] : [];
  return [`${source.main}.${key}`, ...shared, ...source.ties];
}

function orderOf(keys: readonly string[], descending: boolean): string {
  return keys.map((column) => `${column}${descending ? ' desc' : ''}`).join(', ');
}

/** One page of one list. */
function selectOf(
  projectId: string,
  {
    source,
    query,
    after,
  }: { readonly source: ListSource; readonly query: ListQuery; readonly after: readonly CursorValue[] | undefined },
): Select {
  const { main } = source;
  const { key, descending } = query.ordering;
  const conditions = conditionsOf(projectId, source, query.filter);
  const keys = keysOf(source, key);
  if (after !== undefined) {
    const marks = keys.map((column, index) => {
      if (index === 0) return `?::${SORT_CAST[key]}`;
      return column === `${main}.start_time_ns` ? '?::bigint' : '?';
    });
    conditions.add(`(${keys.join(', ')}) ${descending ? '<' : '>'} (${marks.join(', ')})`, true, after);
  }
  const sql = `select ${columnsOf(source)},
       ${SORT_TEXT[key](`${main}.${key}`)} as sort_value${isMerged(query) ? keyColumns(keys) : ''}
     from (
       select ${source.columns} from ${filtered(source, conditions)} where ${conditions.text}
       order by ${orderOf(keys, descending)} limit ?
     ) ${main} ${source.joins}
     order by ${orderOf(keys, descending)}`;
  return { sql, bindings: [...conditions.bindings, query.limit] };
}

/** Conditions on spans may ask for what their trace has. */
function filtered({ table, main }: ListSource, conditions: SqlConditions): string {
  const asksTrace = main === 's' && /\bt\./.test(conditions.text);
  return asksTrace ? `${table} join traces t on t.project_id = s.project_id and t.trace_id = s.trace_id` : table;
}

/** What a row shows, whatever the list is sorted by. */
function columnsOf({ main, spanId, counts, isLive }: ListSource): string {
  return `${main}.trace_id, ${spanId} as span_id, ${main}.name, c.slug as capability,
       v.external_id as session, ${main}.span_type, ${main}.operation, ${main}.service_name, ${main}.status_code,
       ${main}.duration_ns / 1e6::float8 as duration_ms, ${main}.start_time_ns::text as start_ns,
       ${instantText(`${main}.received_at`)} as received_at, ${counts}, ${main}.total_tokens,
       ${main}.total_cost::float8 as total_cost, ${main}.model, ${isLive} as is_live`;
}

function isMerged(query: ListQuery): boolean {
  return sourcesOf(query).length > 1;
}

function keyColumns(keys: readonly string[]): string {
  return keys.map((column, index) => `, ${column} as key_${index}`).join('');
}

/** The first rows of several lists in one order. */
function merged(parts: readonly Select[], query: ListQuery): Select {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return first;
  const keys = keysOf(SPANS, query.ordering.key).map((_, index) => `key_${index}`);
  return {
    sql: `select * from (${parts.map(({ sql }) => `(${sql})`).join(' union all ')}) page
     order by ${orderOf(keys, query.ordering.descending)} limit ?`,
    bindings: [...parts.flatMap(({ bindings }) => bindings), query.limit],
  };
}
