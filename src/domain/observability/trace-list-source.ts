/** Where the columns of a list are: on the trace's own row, or on each span. */
export interface ListSource {
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

export const TRACES: ListSource = {
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
export const SPANS: ListSource = {
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
export const SPANS_OF_SESSION: readonly ListSource[] = [
  { ...SPANS, hasConversation: (id) => `s.conversation_id = ${id}` },
  { ...SPANS, hasConversation: (id) => `(s.conversation_id is null and t.conversation_id = ${id})` },
];
export const SPANS_OF_CAPABILITY: readonly ListSource[] = [
  { ...SPANS, hasCapability: (id) => `s.capability_id = ${id}` },
  {
    ...SPANS,
    hasCapability: (id) => `(s.capability_id is null and t.capability_id = ${id} and t.has_bare_spans)`,
    ofLenders: true,
  },
];

function columnsIn(table: string, names: string): string {
  return names
    .split(/,\s*/)
    .map((name) => `${table}.${name}`)
    .join(', ');
}
