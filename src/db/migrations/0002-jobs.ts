import type { Migration } from './migration.ts';

export const migration: Migration = {
  name: '0002-jobs',
  async up(db) {
    await db.raw(`
      create table jobs (
        id text primary key,
        project_id text not null references projects (id) on delete cascade,
        kind text not null,
        subject_id text not null,
        account_id text,
        payload jsonb not null,
        status text not null default 'queued' check (status in ('queued', 'running', 'succeeded', 'failed')),
        attempt integer not null default 0,
        max_attempts integer not null check (max_attempts > 0),
        run_at timestamptz not null default now(),
        lease_until timestamptz,
        worker text,
        sent_at timestamptz not null default now(),
        progress jsonb,
        error_code text,
        error_message text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        started_at timestamptz,
        finished_at timestamptz,
        check ((status = 'running') = (lease_until is not null)),
        check ((status in ('succeeded', 'failed')) = (finished_at is not null)),
        check ((status = 'failed') = (error_message is not null and finished_at is not null))
      )`);
    await db.raw('create index jobs_by_subject on jobs (project_id, kind, subject_id, created_at desc, id desc)');
    await db.raw('create index jobs_by_project on jobs (project_id, created_at desc, id desc)');
    await db.raw(`create index jobs_unfinished on jobs (status, run_at) where status in ('queued', 'running')`);
    await db.raw(`create index jobs_finished on jobs (finished_at) where finished_at is not null`);
    await db.raw(`
      create table request_keys (
        subject text not null,
        project_id text not null default '',
        operation text not null,
        request_key text not null,
        digest text not null,
        holder text,
        outcome jsonb,
        created_at timestamptz not null default now(),
        held_until timestamptz,
        effect_at timestamptz,
        expires_at timestamptz not null,
        primary key (subject, project_id, operation, request_key),
        check ((outcome is null) = (holder is not null and held_until is not null))
      )`);
    await db.raw('create index request_keys_by_expiry on request_keys (expires_at)');
  },
  async down(db) {
    await db.raw('drop table request_keys');
    await db.raw('drop table jobs');
  },
};
