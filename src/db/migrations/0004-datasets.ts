import type { Migration } from './migration.ts';

export const migration: Migration = {
  name: '0004-datasets',
  async up(db) {
    for (const statement of [...DATASETS, ...CELLS]) await db.raw(statement);
  },
  async down(db) {
    await db.raw('drop table dataset_cells, datasets');
  },
};

/*
 * `landed_by` names the dataset whose job lands this one: itself, or the training half of a split, so that both
 * halves come from one reading of the source. Names may repeat; whoever refers to a repeated name is asked for the id.
 */
const DATASETS = [
  `create table datasets (
    project_id text not null references projects (id),
    id text collate "C" not null,
    name text not null,
    source_kind text not null check (source_kind in ('file', 'traces', 'llm_calls')),
    source_spec jsonb not null,
    landed_by text collate "C" not null,
    split_side text check (split_side in ('train', 'eval')),
    landings integer not null default 1,
    intent text not null check (intent in ('train', 'eval', 'pending')),
    capability_binding text not null check (capability_binding in ('automatic', 'chosen', 'none')),
    capability_id text collate "C",
    capability_rank jsonb not null default '[]',
    active_cell_id text collate "C",
    state text not null check (state in ('landing', 'diagnosing', 'idle', 'running', 'error')),
    error text,
    preparation_context jsonb not null default '{}',
    contamination_report jsonb not null default '{}',
    created_by text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (project_id, id),
    foreign key (project_id, capability_id) references capabilities (project_id, id),
    foreign key (project_id, landed_by) references datasets (project_id, id) deferrable initially deferred,
    check ((state = 'error') = (error is not null))
  )`,
  'create index datasets_by_created on datasets (project_id, created_at desc, id desc)',
  'create index datasets_by_name on datasets (project_id, lower(name))',
  'create index datasets_by_capability on datasets (project_id, capability_id) where capability_id is not null',
  'create index datasets_by_landing on datasets (project_id, landed_by)',
];

/** Rows live in the object store; a cell keeps the object's key and what was measured when it was written. */
const CELLS = [
  `create table dataset_cells (
    project_id text not null,
    id text collate "C" not null,
    dataset_id text collate "C" not null,
    position integer not null check (position >= 0),
    title text not null,
    script text not null default '',
    note text not null default '',
    state text not null check (state in ('proposed', 'queued', 'running', 'ok', 'failed')),
    error text,
    row_count bigint,
    columns jsonb not null default '[]',
    fingerprint text,
    input_fingerprint text,
    train_report jsonb,
    eval_report jsonb,
    stats jsonb,
    quality_report jsonb,
    seconds double precision,
    object_key text,
    object_sha256 text,
    object_bytes bigint,
    used_at timestamptz,
    created_by text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (project_id, id),
    foreign key (project_id, dataset_id) references datasets (project_id, id) on delete cascade,
    unique (project_id, dataset_id, position) deferrable initially deferred,
    check ((state = 'ok') = (object_key is not null and fingerprint is not null)),
    check ((state = 'failed') = (error is not null))
  )`,
];
