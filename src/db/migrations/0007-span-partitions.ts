import type { Tx } from '../database.ts';
import type { Migration } from './migration.ts';

/*
 * Spans by week of receipt. Each week is a table that inherits from `spans`, so that a server of the release before
 * this one goes on unharmed: its insert names `on conflict (project_id, trace_id, span_id)`, which a table under
 * `partition by` cannot offer without the time in the key, and its reads of `spans` see every week. What it writes,
 * and whatever finds no week made for it, lies in `spans` itself until the upkeep moves it into its week.
 */
export const migration: Migration = {
  name: '0007-span-partitions',
  async up(db) {
    await db.raw(ALLOW_SEARCH_INDEXES);
    // Lists by name and by status now go on by start, so one index serves the filter and the order.
    await db.raw('drop index spans_by_name, spans_by_status, spans_by_start');
    for (const statement of [...TRACE_INDEXES, ...SPAN_INDEXES]) await db.raw(statement);
    for (const statement of [ENSURE_WEEK, REFUSE_STORED, REFUSE_STORED_TRIGGER]) await db.raw(statement);
    await db.raw(`select ensure_span_week(now() + week * interval '7 days') from generate_series(0, 2) as week`);
  },
  async down(db) {
    await db.raw('drop trigger spans_refuse_stored on spans');
    for (const week of await weeksOf(db)) {
      await db.raw('insert into spans select * from ?? on conflict (project_id, trace_id, span_id) do nothing', [week]);
      await db.raw('drop table ??', [week]);
    }
    await db.raw('drop function spans_refuse_stored(), ensure_span_week(timestamptz)');
    for (const statement of [...TRACE_INDEXES, ...SPAN_INDEXES])
      await db.raw(`drop index if exists ${nameOf(statement)}`);
    await db.raw('drop index if exists traces_by_search, spans_by_search');
    await db.raw('create index spans_by_start on spans (project_id, start_time_ns)');
    await db.raw('create index spans_by_name on spans (project_id, name, trace_id, span_id)');
    await db.raw('create index spans_by_status on spans (project_id, status_code, trace_id, span_id)');
  },
};

/*
 * Substrings are found by trigrams where the server has them; `pg_trgm` is among the extensions a database's owner may
 * add, but a server can lack it. Without it a search walks the order of the list. Ids are random and would cost as
 * many trigrams as everything else together, so of a span only names are in the index: the last 50 characters of its
 * text are its ids.
 */
const ALLOW_SEARCH_INDEXES = `do $$
  begin
    create extension if not exists pg_trgm;
    create index traces_by_search on traces using gin (search_text gin_trgm_ops);
    create index spans_by_search on spans using gin (left(search_text, -50) gin_trgm_ops);
  exception when others then
    raise notice 'searches do without trigrams: %', sqlerrm;
  end $$`;

/* One value, newest first: rows of a filter come in the list's own order, so a page costs the same however many match. */
const TRACE_INDEXES = [
  'create index traces_by_operation on traces (project_id, operation, start_time_ns, trace_id)',
  'create index traces_by_service on traces (project_id, service_name, start_time_ns, trace_id)',
  'create index traces_by_type on traces (project_id, span_type, start_time_ns, trace_id)',
  'create index traces_by_model on traces (project_id, model, start_time_ns, trace_id)',
  'create index traces_by_name_start on traces (project_id, name, start_time_ns, trace_id)',
  'create index traces_by_status_start on traces (project_id, status_code, start_time_ns, trace_id)',
  'create index traces_failed_by_start on traces (project_id, start_time_ns, trace_id) where failed',
  'create index traces_by_tokens on traces (project_id, total_tokens) where total_tokens is not null',
  'create index traces_by_cost on traces (project_id, total_cost) where total_cost is not null',
];
const SPAN_INDEXES = [
  // With the duration in it, a bound on that is looked at without a look at the span.
  'create index spans_by_start on spans (project_id, start_time_ns, duration_ns)',
  'create index spans_by_operation on spans (project_id, operation, start_time_ns)',
  'create index spans_by_service on spans (project_id, service_name, start_time_ns)',
  'create index spans_by_type on spans (project_id, span_type, start_time_ns)',
  'create index spans_by_model on spans (project_id, model, start_time_ns)',
  'create index spans_by_name_start on spans (project_id, name, start_time_ns)',
  'create index spans_by_status_start on spans (project_id, status_code, start_time_ns)',
  `create index spans_by_capability on spans (project_id, capability_id, start_time_ns)
    where capability_id is not null`,
  `create index spans_by_conversation on spans (project_id, conversation_id, start_time_ns)
    where conversation_id is not null`,
  // Those have the capability and session of their trace.
  'create index spans_of_no_capability on spans (project_id, start_time_ns) where capability_id is null',
  'create index spans_of_no_conversation on spans (project_id, start_time_ns) where conversation_id is null',
  'create index spans_by_tokens on spans (project_id, total_tokens) where total_tokens is not null',
  'create index spans_by_cost on spans (project_id, total_cost) where total_cost is not null',
];

/* Weeks begin on Monday, UTC. The indexes of a week are those `spans` has when the week is made. */
const ENSURE_WEEK = `create function ensure_span_week(at timestamptz) returns text language plpgsql as $$
  declare
    first timestamptz := date_trunc('week', at, 'UTC');
    week text := 'spans_w' || to_char(first at time zone 'UTC', 'YYYYMMDD');
  begin
    if to_regclass(week) is not null then return week; end if;
    perform pg_advisory_xact_lock(7301884208);
    if to_regclass(week) is not null then return week; end if;
    execute format(
      'create table %I (like spans including all, check (received_at >= %L and received_at < %L)) inherits (spans)',
      week, first, first + interval '7 days');
    return week;
  end $$`;

/* The key of `spans` knows nothing of the weeks: a span sent again to a server of the last release is refused here. */
const REFUSE_STORED = `create function spans_refuse_stored() returns trigger language plpgsql as $$
  begin
    if exists (select from spans
      where project_id = new.project_id and trace_id = new.trace_id and span_id = new.span_id) then
      return null;
    end if;
    return new;
  end $$`;
const REFUSE_STORED_TRIGGER = `create trigger spans_refuse_stored before insert on spans
  for each row execute function spans_refuse_stored()`;

async function weeksOf(db: Tx): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'spans'::regclass order by 1`,
  );
  return rows.map((row) => row.name);
}

function nameOf(statement: string): string {
  return statement.split(' ')[2] ?? '';
}
