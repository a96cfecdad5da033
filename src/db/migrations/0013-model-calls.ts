import type { Migration } from './migration.ts';

/* What calls of language models took. What was said is not kept. The index serves the budget of a day. */
export const migration: Migration = {
  name: '0013-model-calls',
  async up(db) {
    await db.raw(`
      create table model_calls (
        project_id text not null references projects (id),
        id text collate "C" not null,
        purpose text not null,
        work_id text collate "C" not null,
        model text not null,
        outcome text not null,
        input_tokens bigint not null check (input_tokens >= 0),
        output_tokens bigint not null check (output_tokens >= 0),
        is_estimated boolean not null,
        latency_ms bigint not null,
        cost numeric,
        created_at timestamptz not null default now(),
        primary key (project_id, id)
      )`);
    await db.raw('create index model_calls_by_work on model_calls (project_id, work_id)');
    await db.raw('create index model_calls_by_created on model_calls (project_id, created_at)');
  },
  async down(db) {
    await db.raw('drop table model_calls');
  },
};
