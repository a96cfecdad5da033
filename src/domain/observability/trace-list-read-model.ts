import { instantText, likeText, type Db } from '../../db/database.ts';
import type { CursorValue } from '../../kernel/page-cursor.ts';
import { nanosOfMs, SqlConditions, storableInstant, storableNanos, type Binding } from './sql-conditions.ts';
import type { TraceFilter, TraceListQuery, TraceOrderKey, TraceRow } from './trace-query.ts';

interface ListRow {
  readonly trace_id: string;
  readonly span_id: string;
  readonly name: string;
  readonly capability: string | null;
  readonly session: string | null;
  readonly span_type: string;
  readonly operation: string | null;
  readonly service_name: string | null;
  readonly status_code: number;
  readonly duration_ms: number;
  readonly start_ns: string;
  readonly received_at: string;
  readonly span_count: number | null;
  readonly error_count: number | null;
  readonly total_tokens: number | null;
  readonly total_cost: number | null;
  readonly model: string | null;
  readonly is_live: boolean;
  readonly sort_value: CursorValue;
}

/** A row with the exact value it was sorted by, as the database wrote it. */
export interface PlacedRow {
  readonly row: TraceRow;
  readonly position: readonly CursorValue[];
}

/** Where the columns of a list are: on the trace's own row, or on each span. */
interface ListSource {
  /** What is filtered and sorted. */
  readonly table: string;
  /** Columns of it that are shown or sorted by. */
  readonly columns: string;
  /** Joined to the rows of the page alone: names for ids, and of a span its trace. */
  readonly joins: string;
  /** Alias of the table that is filtered and sorted. */
  readonly main: 't' | 's';
  readonly spanId: string;
  readonly failed: string;
  readonly hasCapability: (id: string) => string;
  readonly hasConversation: (id: string) => string;
  readonly isUnbound: string;
  /** Spans that have the capability of their trace only; most projects have none of one capability. */
  readonly ofLenders?: true;
  readonly counts: string;
  readonly isLive: string;
  /** Columns that make the order total, after the sort column. */
  readonly ties: readonly string[];
}

const SHARED_COLUMNS = `trace_id, name, capability_id, conversation_id, span_type, operation, service_name, status_code,
  duration_ns, start_time_ns, received_at, total_tokens, total_cost, model, project_id`;

const TRACES: ListSource = {
  table: 'traces t',
  columns: columnsIn('t', `${SHARED_COLUMNS}, head_span_id, head_rank, span_count, error_count`),
  joins: `left join capabilities c on c.project_id = t.project_id and c.id = t.capability_id
    left join conversations v on v.project_id = t.project_id and v.id = t.conversation_id`,
  main: 't',
  spanId: 't.head_span_id',
  failed: 't.failed',
  hasCapability: (id) => `t.capability_id = ${id}`,
  hasConversation: (id) => `t.conversation_id = ${id}`,
  isUnbound: 't.capability_id is null',
  counts: 't.span_count, t.error_count',
  isLive: `t.head_rank >= '1'`,
  ties: ['t.trace_id'],
};

/** A span without a capability or session of its own has its trace's. */
const SPANS: ListSource = {
  table: 'spans s',
  columns: columnsIn('s', `${SHARED_COLUMNS}, span_id`),
  joins: `join traces t on t.project_id = s.project_id and t.trace_id = s.trace_id
    left join capabilities c on c.project_id = s.project_id and c.id = coalesce(s.capability_id, t.capability_id)
    left join conversations v on v.project_id = s.project_id
      and v.id = coalesce(s.conversation_id, t.conversation_id)`,
  main: 's',
  spanId: 's.span_id',
  failed: '(s.status_code = 2)',
  // Not `coalesce`: the planner has no statistics of it, and plans as if every value were rare.
  hasCapability: (id) => `(s.capability_id = ${id} or (s.capability_id is null and t.capability_id = ${id}))`,
  hasConversation: (id) => `(s.conversation_id = ${id} or (s.conversation_id is null and t.conversation_id = ${id}))`,
  isUnbound: '(s.capability_id is null and t.capability_id is null)',
  counts: 'null::bigint as span_count, null::bigint as error_count',
  isLive: `t.head_rank >= '1'`,
  ties: ['s.trace_id', 's.span_id'],
};

/** No index serves "its own or else its trace's" at once, so spans of one session or capability are two lists merged. */
const SPANS_OF_SESSION: readonly ListSource[] = [
  { ...SPANS, hasConversation: (id) => `s.conversation_id = ${id}` },
  { ...SPANS, hasConversation: (id) => `(s.conversation_id is null and t.conversation_id = ${id})` },
];
const SPANS_OF_CAPABILITY: readonly ListSource[] = [
  { ...SPANS, hasCapability: (id) => `s.capability_id = ${id}` },
  {
    ...SPANS,
    hasCapability: (id) => `(s.capability_id is null and t.capability_id = ${id} and t.has_bare_spans)`,
    ofLenders: true,
  },
];

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

function columnsIn(table: string, names: string): string {
  return names
    .split(/,\s*/)
    .map((name) => `${table}.${name}`)
    .join(', ');
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

function conditionsOf(projectId: string, source: ListSource, filter: TraceFilter): SqlConditions {
  const { main } = source;
  const hasCapability = source.hasCapability('?');
  const conditions = new SqlConditions()
    .add(`${main}.project_id = ?`, projectId)
    .add(`${main}.trace_id = ?`, filter.traceId?.toLowerCase())
    .add(`${source.spanId} = ?`, filter.spanId?.toLowerCase())
    .add(`${main}.name = ?`, filter.name)
    .add(`${main}.operation = ?`, filter.operation)
    .add(`${main}.service_name = ?`, filter.serviceName)
    .add(`${main}.span_type = ?`, filter.spanType)
    .add(`${main}.status_code = ?`, filter.statusCode)
    .either(filter.hasError, source.failed, `not ${source.failed}`)
    .add(`${main}.model = ?`, filter.model)
    .either(filter.hasModel, `${main}.model is not null`, `${main}.model is null`)
    .add(`${main}.start_time_ns >= ?`, storableNanos(filter.startNsGte))
    .add(`${main}.start_time_ns <= ?`, storableNanos(filter.startNsLte))
    .add(`${main}.received_at > ?::timestamptz`, storableInstant(filter.receivedAfter))
    .add(`${main}.received_at < ?::timestamptz`, storableInstant(filter.receivedBefore))
    .add(`${main}.received_at >= ?::timestamptz`, storableInstant(filter.receivedGte))
    .add(`${main}.received_at <= ?::timestamptz`, storableInstant(filter.receivedLte))
    .add(`${main}.duration_ns >= ?`, nanosOfMs(filter.minDurationMs))
    .add(`${main}.duration_ns <= ?`, nanosOfMs(filter.maxDurationMs))
    .add(`${main}.total_tokens >= ?`, filter.totalTokensGte)
    .add(`${main}.total_tokens <= ?`, filter.totalTokensLte)
    .add(`${main}.total_cost >= ?::numeric`, text(filter.totalCostGte))
    .add(`${main}.total_cost <= ?::numeric`, text(filter.totalCostLte))
    .add(hasCapability, filter.capabilityId, repeat(timesNamed(hasCapability), [filter.capabilityId ?? '']))
    .add(ANY_LENDER, source.ofLenders && filter.capabilityId, [projectId, filter.capabilityId ?? ''])
    .either(filter.unbound, source.isUnbound, `not ${source.isUnbound}`);
  if (filter.search !== undefined) addSearch(conditions, { projectId, source, text: filter.search.toLowerCase() });
  if (filter.session !== undefined) {
    // One look-up before the scan: the planner then knows one id and can walk the session's own index.
    const sessionId = `(select id from conversations where project_id = ? and (external_id = ? or id = ?)
      order by (external_id = ?) desc limit 1)`;
    const { session } = filter;
    const hasConversation = source.hasConversation(sessionId);
    const bindings = [projectId, session, session, session];
    conditions.add(hasConversation, session, repeat(timesNamed(hasConversation) / bindings.length, bindings));
  }
  return conditions;
}

/** Looked up once, before a list is walked that would turn out to have nothing. */
const ANY_LENDER = `exists (select from traces lender
  where lender.project_id = ? and lender.capability_id = ? and lender.has_bare_spans)`;

const HEXADECIMAL = /^[0-9a-f]+$/;
const SPAN_ID_LENGTH = 16;

/**
 * The index over spans knows their names alone. A text that cannot be part of an id is looked for there; one that is as
 * long as a span's id can only be a name, that id or part of a trace's, and those have indexes too. What is shorter
 * and hexadecimal may be anywhere in an id, so the order of the list is walked.
 */
function addSearch(
  conditions: SqlConditions,
  {
    projectId,
    source,
    text: wanted,
  }: { readonly projectId: string; readonly source: ListSource; readonly text: string },
): void {
  const pattern = `%${likeText(wanted)}%`;
  if (source.main === 's' && !HEXADECIMAL.test(wanted)) {
    conditions.add(`${NAMES_OF_SPAN} like ? escape '\\'`, pattern);
    return;
  }
  conditions.add(`${source.main}.search_text like ? escape '\\'`, pattern);
  if (source.main === 't' || wanted.length < SPAN_ID_LENGTH) return;
  conditions.add(
    `(${NAMES_OF_SPAN} like ? escape '\\' or s.span_id = ? or s.trace_id = any(array(
       select trace_id from traces where project_id = ? and search_text like ? escape '\\')))`,
    true,
    [pattern, wanted, projectId, pattern],
  );
}

/** The last 50 characters of a span's text are its ids. */
const NAMES_OF_SPAN = 'left(s.search_text, -50)';

function timesNamed(text: string): number {
  return text.split('?').length - 1;
}

function repeat<T>(times: number, values: readonly T[]): readonly T[] {
  return Array.from({ length: times }, () => values).flat();
}

/** Costs travel as text, so that the database compares the same decimal the caller wrote. */
function text(value: number | undefined): Binding | undefined {
  return value === undefined ? undefined : String(value);
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Written field by field, since every page makes one of these per row. */
function toTraceRow(row: ListRow): TraceRow {
  const trace: Writable<TraceRow> = {
    traceId: row.trace_id,
    spanId: row.span_id,
    name: row.name,
    spanType: row.span_type,
    statusCode: row.status_code,
    durationMs: row.duration_ms,
    startNs: row.start_ns,
    receivedAt: row.received_at,
    isLive: row.is_live,
  };
  if (row.capability !== null) trace.capabilitySlug = row.capability;
  if (row.session !== null) trace.session = row.session;
  if (row.operation !== null) trace.operation = row.operation;
  if (row.service_name !== null) trace.serviceName = row.service_name;
  if (row.span_count !== null) trace.spanCount = row.span_count;
  if (row.error_count !== null) trace.errorCount = row.error_count;
  if (row.total_tokens !== null) trace.totalTokens = row.total_tokens;
  if (row.total_cost !== null) trace.totalCost = row.total_cost;
  if (row.model !== null) trace.model = row.model;
  return trace;
}
