import type { Migration } from './migration.ts';

export const migration: Migration = {
  name: '0003-capabilities-and-observability',
  async up(db) {
    for (const statement of [...CAPABILITIES, ...SPANS, ...TRACES, ...EXECUTIONS]) await db.raw(statement);
  },
  async down(db) {
    await db.raw('drop table task_executions, traces, spans, conversations, capability_aliases, capabilities');
  },
};

const CAPABILITIES = [
  `create table capabilities (
    project_id text not null references projects (id),
    id text not null,
    name text not null,
    name_key text collate "C" not null,
    slug text collate "C" not null,
    description text not null default '',
    status text not null default 'current' check (status in ('current', 'leftover', 'deleted')),
    observed boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (project_id, id),
    unique (project_id, slug)
  )`,
  'create index capabilities_by_name on capabilities (project_id, name_key)',
  `create table capability_aliases (
    project_id text not null,
    kind text not null check (kind in ('id', 'name', 'slug')),
    value text collate "C" not null,
    capability_id text not null,
    created_at timestamptz not null default now(),
    primary key (project_id, kind, value),
    foreign key (project_id, capability_id) references capabilities (project_id, id)
  )`,
  'create index capability_aliases_by_value on capability_aliases (project_id, value)',
  'create index capability_aliases_by_capability on capability_aliases (project_id, capability_id)',
];

/*
 * Spans arrive by the thousand a second, so the table has no foreign keys: each would cost a look-up per row. What
 * they would guard is written in the same transaction. Every column a later partitioning by time needs
 * (start_time_ns, received_at) is not null, so the table can become the first partition of a partitioned one.
 */
const SPANS = [
  `create table spans (
    project_id text not null,
    trace_id text collate "C" not null,
    span_id text collate "C" not null,
    parent_span_id text collate "C",
    name text collate "C" not null,
    kind smallint not null,
    span_type text collate "C" not null,
    operation text collate "C",
    service_name text collate "C",
    status_code smallint not null check (status_code in (0, 1, 2)),
    status_message text not null,
    start_time_ns bigint not null,
    end_time_ns bigint not null,
    duration_ns bigint not null,
    model text collate "C",
    input_tokens bigint,
    output_tokens bigint,
    total_tokens bigint,
    total_cost numeric,
    capability_id text collate "C",
    conversation_id text collate "C",
    scope_name text not null,
    scope_version text not null,
    search_text text not null,
    attributes json not null,
    resource_attributes json not null,
    events json,
    links json,
    received_at timestamptz not null,
    primary key (project_id, trace_id, span_id)
  )`,
  'create index spans_by_span on spans (project_id, span_id)',
  // Values that seldom repeat need no ids beside them: rows of one value are sorted as they are read.
  'create index spans_by_start on spans (project_id, start_time_ns)',
  'create index spans_by_received on spans (project_id, received_at)',
  'create index spans_by_duration on spans (project_id, duration_ns)',
  'create index spans_by_name on spans (project_id, name, trace_id, span_id)',
  'create index spans_by_status on spans (project_id, status_code, trace_id, span_id)',
];

/*
 * One row per trace, kept in the transaction that stores its spans. The columns with a rank hold the value of the
 * span with the smallest rank ('0' root or '1' not, start, span id), so the row is the same whatever order spans
 * arrive in. A low fillfactor leaves room for the updates that later batches of a trace bring.
 */
const TRACES = [
  `create table conversations (
    project_id text not null references projects (id),
    id text collate "C" not null,
    external_id text collate "C" not null,
    name text not null,
    capability_id text collate "C",
    created_at timestamptz not null,
    primary key (project_id, id),
    unique (project_id, external_id)
  )`,
  `create table traces (
    project_id text not null references projects (id),
    trace_id text collate "C" not null,
    head_rank text collate "C" not null,
    head_span_id text collate "C" not null,
    name text collate "C" not null,
    span_type text collate "C" not null,
    operation text collate "C",
    service_name text collate "C",
    status_code smallint not null,
    start_time_ns bigint not null,
    duration_ns bigint not null,
    search_text text not null,
    capability_id text collate "C",
    capability_rank text collate "C",
    conversation_id text collate "C",
    conversation_rank text collate "C",
    model text collate "C",
    model_rank text collate "C",
    span_count bigint not null,
    error_count bigint not null,
    failed boolean not null generated always as (status_code = 2 or (status_code = 0 and error_count > 0)) stored,
    error_rank text collate "C",
    error_message text,
    error_type text,
    input_tokens bigint,
    output_tokens bigint,
    total_tokens bigint,
    total_cost numeric,
    first_start_ns bigint not null,
    last_end_ns bigint not null,
    received_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (project_id, trace_id),
    foreign key (project_id, capability_id) references capabilities (project_id, id),
    foreign key (project_id, conversation_id) references conversations (project_id, id)
  ) with (fillfactor = 80)`,
  'create index traces_by_start on traces (project_id, start_time_ns, trace_id)',
  'create index traces_by_received on traces (project_id, received_at, trace_id)',
  'create index traces_by_duration on traces (project_id, duration_ns, trace_id)',
  'create index traces_by_name on traces (project_id, name, trace_id)',
  'create index traces_by_status on traces (project_id, status_code, trace_id)',
  'create index traces_by_head_span on traces (project_id, head_span_id)',
  'create index traces_by_capability on traces (project_id, capability_id, start_time_ns, trace_id)',
  'create index traces_by_capability_received on traces (project_id, capability_id, received_at, trace_id)',
  `create index traces_by_conversation on traces (project_id, conversation_id, start_time_ns, trace_id)
    where conversation_id is not null`,
  `create index traces_failed on traces (project_id, capability_id, received_at, trace_id)
    where failed`,
];

const EXECUTIONS = [
  `create table task_executions (
    project_id text not null references projects (id),
    id text collate "C" not null,
    trace_id text collate "C" not null,
    unit_span_id text collate "C" not null,
    behaviour_key text collate "C" not null,
    binding_source text not null check (binding_source in ('declared', 'unbound')),
    status text not null check (status in ('completed', 'error', 'interrupted')),
    terminal_kind text,
    capability_id text collate "C",
    conversation_id text collate "C",
    span_type text collate "C" not null,
    operation text collate "C",
    service_name text collate "C",
    status_code smallint not null,
    model text collate "C",
    total_tokens bigint,
    total_cost numeric,
    start_time_ns bigint not null,
    duration_ns bigint not null,
    created_at timestamptz not null,
    primary key (project_id, id),
    unique (project_id, trace_id, unit_span_id)
  )`,
  'create index task_executions_by_start on task_executions (project_id, start_time_ns, id)',
  'create index task_executions_by_behaviour on task_executions (project_id, behaviour_key, start_time_ns, id)',
  'create index task_executions_by_capability on task_executions (project_id, capability_id, start_time_ns, id)',
];
