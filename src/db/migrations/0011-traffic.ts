import type { Tx } from '../database.ts';
import type { Migration } from './migration.ts';

/*
 * What the traces of an hour and of a day add up to, so that health is read from some hundred rows however many spans
 * there are. Triggers keep it: they see every change of a trace's row - a late span, a capability found later, the end
 * of its keeping, a server of the release before this one - and take back what the row counted before.
 */
export const migration: Migration = {
  name: '0011-traffic',
  async up(db) {
    for (const statement of [...TABLES, ADD_MODEL_USE, TRAFFIC_PARTS]) await db.raw(statement);
    await countWhatIsThere(db);
    for (const statement of [COUNT_TRAFFIC, ...TRIGGERS]) await db.raw(statement);
  },
  async down(db) {
    await db.raw('drop trigger traces_count_inserted on traces');
    await db.raw('drop trigger traces_count_updated on traces');
    await db.raw('drop trigger traces_count_deleted on traces');
    await db.raw(`drop function traces_count_traffic(), add_model_use(jsonb, jsonb),
      traffic_parts(boolean, bigint, bigint, numeric, text, text, jsonb)`);
    await db.raw('drop table traffic');
    await db.raw('alter table traces drop column model_use');
  },
};

/*
 * `facet` says what is counted apart: all traces, their durations by bucket, their errors by message, or the calls of
 * models by name (`n` then counts calls). A trace without a capability counts under ''. The model calls of a trace lie
 * on its row: {model: [calls, errors, tokens, cost]}.
 */
const TABLES = [
  `create table traffic (
    project_id text not null references projects (id),
    grain text collate "C" not null check (grain in ('hour', 'day')),
    facet text collate "C" not null check (facet in ('all', 'duration', 'error', 'model')),
    starts_at timestamptz not null,
    capability_id text collate "C" not null,
    value text collate "C" not null,
    n bigint not null,
    errors bigint not null,
    duration_ns numeric not null,
    total_tokens numeric not null,
    total_cost numeric not null,
    primary key (project_id, grain, facet, starts_at, capability_id, value)
  ) with (fillfactor = 70)`,
  'alter table traces add column model_use jsonb',
];

const ADD_MODEL_USE = `create function add_model_use(one jsonb, other jsonb) returns jsonb
  language sql immutable parallel safe as $$
    select case when one is null then other when other is null then one else (
      select jsonb_object_agg(model, jsonb_build_array(calls, errors, tokens, cost)) from (
        select key as model, sum((value ->> 0)::bigint) as calls, sum((value ->> 1)::bigint) as errors,
          sum((value ->> 2)::numeric) as tokens, sum((value ->> 3)::numeric) as cost
        from (select * from jsonb_each(one) union all select * from jsonb_each(other)) as uses
        group by key
      ) as sums
    ) end
  $$`;

/* A bucket of durations is two per cent wide, so its middle is within one per cent of everything in it. */
const TRAFFIC_PARTS = `create function traffic_parts(failed boolean, duration_ns bigint, total_tokens bigint,
    total_cost numeric, error_message text, error_type text, model_use jsonb)
  returns table (facet text, value text, n bigint, errors bigint, duration_ns numeric, tokens numeric, cost numeric)
  language sql immutable parallel safe as $$
    select 'all', '', 1::bigint, $1::int::bigint, $2::numeric, coalesce($3, 0)::numeric, coalesce($4, 0)
    union all
    select 'duration', (case when $2 <= 1 then 0 else ceil(ln($2::float8) * 50) end)::int::text, 1, 0, 0, 0, 0
    union all
    select 'error', left(coalesce(nullif($5, ''), $6, 'No message recorded'), 500), 1, 1, 0, 0, 0 where $1
    union all
    select 'model', left(use.key, 255), sum((use.value ->> 0)::bigint)::bigint, sum((use.value ->> 1)::bigint)::bigint,
      0, sum((use.value ->> 2)::numeric), sum((use.value ->> 3)::numeric)
    from jsonb_each($7) as use group by 2
  $$`;

const COLUMNS = 'grain, facet, starts_at, capability_id, value, n, errors, duration_ns, total_tokens, total_cost';
const PARTS_OF_TRACE = `traffic_parts(t.failed, t.duration_ns, t.total_tokens, t.total_cost, t.error_message,
    t.error_type, t.model_use) as part
  cross join (values ('hour'), ('day')) as grain (name)`;

/*
 * One project at a time, and one change after the other: the lock is taken before any row of the table, so two batches
 * that reach the same hours in another order wait instead of blocking each other for good.
 */
const COUNT_TRAFFIC = `create function traces_count_traffic() returns trigger language plpgsql as $$
  declare
    project text;
  begin
    if tg_op = 'DELETE' then
      for project in select distinct project_id from gone order by 1 loop
        perform pg_advisory_xact_lock(7301884, hashtext(project));
        ${addOf(signed('gone', -1))}
      end loop;
    elsif tg_op = 'INSERT' then
      for project in select distinct project_id from came order by 1 loop
        perform pg_advisory_xact_lock(7301884, hashtext(project));
        ${addOf(signed('came', 1))}
      end loop;
    else
      for project in select distinct project_id from came order by 1 loop
        perform pg_advisory_xact_lock(7301884, hashtext(project));
        ${addOf(`${signed('came', 1)} union all ${signed('gone', -1)}`)}
      end loop;
    end if;
    return null;
  end $$`;

const TRIGGERS = [
  `create trigger traces_count_inserted after insert on traces referencing new table as came
    for each statement execute function traces_count_traffic()`,
  `create trigger traces_count_updated after update on traces referencing new table as came old table as gone
    for each statement execute function traces_count_traffic()`,
  `create trigger traces_count_deleted after delete on traces referencing old table as gone
    for each statement execute function traces_count_traffic()`,
];

function signed(table: string, sign: 1 | -1): string {
  return `select ${sign} as sign, t.project_id, t.capability_id, t.received_at, t.failed, t.duration_ns, t.total_tokens,
    t.total_cost, t.error_message, t.error_type, t.model_use from ${table} t where t.project_id = project`;
}

/** What nothing came of, such as the hour of a trace that only got longer, is left out. */
function addOf(changes: string): string {
  return `insert into traffic as held (project_id, ${COLUMNS})
    select project, grain.name, part.facet, date_trunc(grain.name, t.received_at, 'UTC'), coalesce(t.capability_id, ''),
      part.value, sum(t.sign * part.n), sum(t.sign * part.errors), sum(t.sign * part.duration_ns),
      sum(t.sign * part.tokens), sum(t.sign * part.cost)
    from (${changes}) as t cross join lateral ${PARTS_OF_TRACE}
    group by 2, 3, 4, 5, 6
    having (sum(t.sign * part.n), sum(t.sign * part.errors), sum(t.sign * part.duration_ns),
      sum(t.sign * part.tokens), sum(t.sign * part.cost)) <> (0, 0, 0, 0, 0)
    on conflict (project_id, grain, facet, starts_at, capability_id, value) do update set
      n = held.n + excluded.n, errors = held.errors + excluded.errors,
      duration_ns = held.duration_ns + excluded.duration_ns,
      total_tokens = held.total_tokens + excluded.total_tokens, total_cost = held.total_cost + excluded.total_cost;`;
}

/** Writers wait meanwhile, so nothing is counted twice or left out. */
async function countWhatIsThere(db: Tx): Promise<void> {
  await db.raw('lock table traces in share row exclusive mode');
  await db.raw(
    `update traces t set model_use = u.model_use from (
       select project_id, trace_id, jsonb_object_agg(model, jsonb_build_array(calls, errors, tokens, cost)) as model_use
       from (
         select project_id, trace_id, model, count(*) as calls, count(*) filter (where status_code = 2) as errors,
           coalesce(sum(total_tokens), 0) as tokens, coalesce(sum(total_cost), 0) as cost
         from spans where model is not null group by project_id, trace_id, model
       ) as calls group by project_id, trace_id
     ) as u where u.project_id = t.project_id and u.trace_id = t.trace_id`,
  );
  await db.raw(
    `insert into traffic (project_id, ${COLUMNS})
     select t.project_id, grain.name, part.facet, date_trunc(grain.name, t.received_at, 'UTC'),
       coalesce(t.capability_id, ''), part.value, sum(part.n), sum(part.errors), sum(part.duration_ns),
       sum(part.tokens), sum(part.cost)
     from traces t cross join lateral ${PARTS_OF_TRACE}
     group by 1, 2, 3, 4, 5, 6`,
  );
}
