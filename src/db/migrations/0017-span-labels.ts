import type { Tx } from '../database.ts';
import type { Migration } from './migration.ts';

/*
 * Names of spans repeat: a project with millions of spans has some dozens. A label is a span's name and service as
 * `search` reads them. Searches look in the labels and then walk each label's spans in the order of the list, so they
 * cost the same however many spans match, and a span costs no trigrams. Labels belong to the week of their spans and
 * go with it. Triggers write them, so those of a server of the release before are there as well.
 */
export const migration: Migration = {
  name: '0017-span-labels',
  async up(db) {
    for (const statement of [TABLE, NOTE_LABELS, ENSURE_WEEK_WITH_LABELS]) await db.raw(statement);
    await db.raw(ALLOW_TRIGRAMS);
    await db.raw('drop index if exists spans_by_search');
    await db.raw(`create index spans_by_label on spans ${BY_LABEL}`);
    for (const week of await weeksOf(db)) {
      for (const name of await indexesOf(db, week, 'gin')) await db.raw('drop index ??', [name]);
      await db.raw(`create index on ?? ${BY_LABEL}`, [week]);
    }
    for (const table of ['spans', ...(await weeksOf(db))]) await db.raw('select note_span_labels_of(?)', [table]);
    await db.raw(`insert into span_labels (project_id, week, label)
      select distinct project_id, date_trunc('week', received_at, 'UTC'), left(search_text, -50) from spans`);
  },
  async down(db) {
    for (const table of ['spans', ...(await weeksOf(db))])
      await db.raw('drop trigger spans_note_labels on ??', [table]);
    await db.raw('drop index spans_by_label');
    await db.raw(ALLOW_SPAN_TRIGRAMS, []);
    for (const week of await weeksOf(db)) {
      for (const name of await indexesOf(db, week, 'btree')) await db.raw('drop index ??', [name]);
    }
    await db.raw(ENSURE_WEEK);
    await db.raw('drop function note_span_labels_of(text), spans_note_labels()');
    await db.raw('drop table span_labels');
  },
};

const LABEL = 'left(search_text, -50)';
const BY_LABEL = `(project_id, ${LABEL}, start_time_ns)`;

const TABLE = `create table span_labels (
    project_id text not null references projects (id),
    week timestamptz not null,
    label text not null,
    primary key (project_id, week, label)
  )`;

/* A server can lack trigrams; labels are few enough to be read through. */
const ALLOW_TRIGRAMS = `do $$
  begin
    create index span_labels_by_trigram on span_labels using gin (label gin_trgm_ops);
  exception when others then
    raise notice 'searches do without trigrams: %', sqlerrm;
  end $$`;

/* In one order, so that two batches with the same new labels wait for each other instead of blocking for good. */
const NOTE_LABELS = `create function spans_note_labels() returns trigger language plpgsql as $$
  begin
    insert into span_labels (project_id, week, label)
    select distinct project_id, date_trunc('week', received_at, 'UTC'), ${LABEL} from came order by 1, 2, 3
    on conflict do nothing;
    return null;
  end $$;
  create function note_span_labels_of(spans text) returns void language plpgsql as $$
  begin
    execute format('create trigger spans_note_labels after insert on %I referencing new table as came
      for each statement execute function spans_note_labels()', spans);
  end $$`;

function ensureWeek(afterwards: string): string {
  return `create or replace function ensure_span_week(at timestamptz) returns text language plpgsql as $$
  declare
    first timestamptz := date_trunc('week', at, 'UTC');
    week text := 'spans_w' || to_char(first at time zone 'UTC', 'YYYYMMDD');
  begin
    if to_regclass(week) is not null then return week; end if;
    perform pg_advisory_xact_lock(7301884208);
    if to_regclass(week) is not null then return week; end if;
    execute format(
      'create table %I (like spans including all, check (received_at >= %L and received_at < %L)) inherits (spans)',
      week, first, first + interval '7 days');${afterwards}
    return week;
  end $$`;
}
const ENSURE_WEEK = ensureWeek('');
const ENSURE_WEEK_WITH_LABELS = ensureWeek('\n    perform note_span_labels_of(week);');

/* As the step of the weeks makes it. */
const ALLOW_SPAN_TRIGRAMS = `do $$
  declare
    week regclass;
  begin
    create index spans_by_search on spans using gin (${LABEL} gin_trgm_ops);
    for week in select inhrelid from pg_inherits where inhparent = 'spans'::regclass loop
      execute format('create index on %s using gin (${LABEL} gin_trgm_ops)', week);
    end loop;
  exception when others then
    raise notice 'searches do without trigrams: %', sqlerrm;
  end $$`;

async function weeksOf(db: Tx): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'spans'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** The indexes of this kind over labels; the names were made by the database. */
async function indexesOf(db: Tx, week: string, kind: 'gin' | 'btree'): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select indexname as name from pg_indexes
     where schemaname = 'public' and tablename = ? and indexdef like ? and indexdef like '%search_text%' order by 1`,
    [week, `%USING ${kind} %`],
  );
  return rows.map(({ name }) => name);
}
