import { instantText, type Db } from '../../db/database.ts';
import { prepared } from '../../db/prepared.ts';
import type { CursorValue } from '../../kernel/page-cursor.ts';
import { SpanLabelRepository } from './span-label-repository.ts';
import type { Binding, SqlConditions } from './sql-conditions.ts';
import { conditionsOf } from './trace-list-conditions.ts';
import { toTraceRow, type ListRow } from './trace-list-row.ts';
import { isInLabels } from './trace-list-search.ts';
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

/** A look-up each, in every week of spans. */
const LABELS_MAX = 200;

/** Lists of traces and of spans: one statement each, whose cost grows with the page and not with the project. */
export class TraceListReadModel {
  readonly #db: Db;
  readonly #labels: SpanLabelRepository;

  constructor(db: Db) {
    this.#db = db;
    this.#labels = new SpanLabelRepository(db);
  }

  /** Up to `limit` rows after the position, in the order asked for. */
  async list(
    projectId: string,
    query: ListQuery,
    after: readonly CursorValue[] | undefined,
  ): Promise<readonly PlacedRow[]> {
    const labels = await this.#labelsOf(projectId, query);
    if (labels?.length === 0) return [];
    const parts = sourcesOf(query).map((source) => selectOf(projectId, { source, query, after, labels }));
    const rows = await this.#rows(merged(parts, query), keptAs(query, after));
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

  async #rows({ sql, bindings }: Select, name: string | undefined): Promise<readonly ListRow[]> {
    // because the query builder's types know no array among the bindings, and the driver writes it as one
    const values = bindings as Binding[];
    if (name !== undefined) return prepared<ListRow>(this.#db, name, sql, values);
    const { rows } = await this.#db.raw<{ rows: ListRow[] }>(sql, values);
    return rows;
  }

  /** What the spans of a search are called; undefined where labels do not tell, or too many to take one by one. */
  async #labelsOf(projectId: string, { allSpans, filter }: ListQuery): Promise<readonly string[] | undefined> {
    const text = filter.search?.toLowerCase();
    if (!allSpans || text === undefined || !isInLabels(text)) return undefined;
    const labels = await this.#labels.containing(projectId, text, LABELS_MAX + 1);
    return labels.length > LABELS_MAX ? undefined : labels;
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
  readonly bindings: readonly (Binding | readonly string[])[];
}

interface SelectParts {
  readonly source: ListSource;
  readonly query: ListQuery;
  readonly after: readonly CursorValue[] | undefined;
  readonly labels: readonly string[] | undefined;
}

/**
 * The name by which connections keep the statement of a list; undefined where they must not. Kept are whole lists by
 * pages of the usual size: some forty statements, whose best plan is the same for every project. What a filter's best
 * plan is depends on the value asked for.
 */
function keptAs(
  { allSpans, ordering, filter, limit }: ListQuery,
  after: readonly CursorValue[] | undefined,
): string | undefined {
  if (limit !== USUAL_LIMIT || Object.values(filter).some((value) => value !== undefined)) return undefined;
  const list = allSpans ? 'spans' : 'traces';
  return `${list}: by ${ordering.key}${ordering.descending ? ' desc' : ''}${after === undefined ? '' : ', next'}`;
}

/** The contract's page and the row that tells whether there are more. */
const USUAL_LIMIT = 21;

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
function selectOf(projectId: string, parts: SelectParts): Select {
  const { source, query } = parts;
  const { main } = source;
  const { key, descending } = query.ordering;
  const keys = keysOf(source, key);
  const page = pageOf(projectId, parts, keys);
  const sql = `select ${columnsOf(source)},
       ${SORT_TEXT[key](`${main}.${key}`)} as sort_value${isMerged(query) ? keyColumns(keys) : ''}
     from (${page.sql}) ${main} ${source.joins}
     order by ${orderOf(keys, descending)}`;
  return { sql, bindings: page.bindings };
}

/** The rows of a page before anything is joined to them; of a search, the first rows of each label. */
function pageOf(projectId: string, { source, query, after, labels }: SelectParts, keys: readonly string[]): Select {
  const { main } = source;
  // Written out, not bound: a plan that is kept has to know how few rows are wanted.
  const first = `order by ${orderOf(keys, query.ordering.descending)} limit ${query.limit}`;
  const runs = runsAfter(keys, query.ordering, after).map(({ text, bindings }): Select => {
    const conditions = conditionsOf(projectId, source, query.filter, labels !== undefined);
    if (text !== '') conditions.add(text, true, bindings);
    return {
      sql: `select ${source.columns} from ${filtered(source, conditions)} where ${conditions.text} ${first}`,
      bindings: conditions.bindings,
    };
  });
  const [run] = runs;
  const rows =
    run !== undefined && runs.length === 1
      ? run
      : {
          sql: `select ${main}.* from (${runs.map(({ sql }) => `(${sql})`).join(' union all ')}) ${main} ${first}`,
          bindings: runs.flatMap(({ bindings }) => bindings),
        };
  if (labels === undefined) return rows;
  return {
    sql: `select ${main}.* from unnest(?::text[]) as named (label) cross join lateral (${rows.sql}) ${main} ${first}`,
    bindings: [labels, ...rows.bindings],
  };
}

/**
 * What comes after a position. Where many rows share the value, the rest of that value and the values beyond it are two
 * runs: of one condition for both the planner thinks that it holds for almost nothing, and reads the whole project.
 */
function runsAfter(
  keys: readonly string[],
  { key, descending }: ListQuery['ordering'],
  after: readonly CursorValue[] | undefined,
): readonly { readonly text: string; readonly bindings: readonly CursorValue[] }[] {
  if (after === undefined) return [{ text: '', bindings: [] }];
  const sign = descending ? '<' : '>';
  const marks = keys.map((column, index) => {
    if (index === 0) return `?::${SORT_CAST[key]}`;
    return column.endsWith('.start_time_ns') ? '?::bigint' : '?';
  });
  const beyond = (from: number): string => `(${keys.slice(from).join(', ')}) ${sign} (${marks.slice(from).join(', ')})`;
  if (!SHARED.has(key)) return [{ text: beyond(0), bindings: after }];
  return [
    { text: `${keys[0]} = ${marks[0]} and ${beyond(1)}`, bindings: after },
    { text: `${keys[0]} ${sign} ${marks[0]}`, bindings: after.slice(0, 1) },
  ];
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
