import type { Migration } from './migration.ts';

export const migration: Migration = {
  name: '0001-identity-and-projects',
  async up(db) {
    await db.raw(`
      create table accounts (
        id text primary key,
        email text not null unique check (email = lower(email)),
        password_hash text,
        is_active boolean not null default true,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`);
    await db.raw(`
      create table projects (
        id text primary key,
        name text not null,
        slug text not null unique,
        integration_type text not null default 'sdk',
        is_active boolean not null default true,
        settings jsonb not null default '{}',
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`);
    await db.raw('create index projects_by_name on projects (lower(name) collate "C", id)');
    await db.raw(`
      create table memberships (
        account_id text not null references accounts (id),
        project_id text not null references projects (id),
        created_at timestamptz not null default now(),
        primary key (account_id, project_id)
      )`);
    await db.raw('create index memberships_by_project on memberships (project_id)');
    await db.raw(`
      create table api_keys (
        id text primary key,
        account_id text not null references accounts (id),
        project_id text references projects (id),
        name text not null,
        key_hash text not null unique,
        prefix text not null,
        can_read boolean not null,
        can_write boolean not null,
        allowed_ips text[] not null default '{}',
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz not null default now(),
        check (can_read or can_write)
      )`);
    await db.raw('create index api_keys_by_account on api_keys (account_id, created_at)');
    await db.raw('create index api_keys_by_project on api_keys (project_id, created_at) where project_id is not null');
    await db.raw('create index api_keys_by_prefix on api_keys (prefix)');
    // No foreign keys: an audit row must be storable whatever has become of the things it names.
    await db.raw(`
      create table agent_calls (
        id text primary key,
        at timestamptz not null,
        request_id text not null,
        client_ip text not null,
        account_id text not null,
        credential_id text not null,
        project_id text,
        kind text not null,
        name text not null,
        outcome text not null check (outcome in ('ok', 'error')),
        error_code text,
        duration_ms double precision not null,
        check ((outcome = 'error') = (error_code is not null))
      )`);
    await db.raw('create index agent_calls_by_project on agent_calls (project_id, at desc)');
    await db.raw('create index agent_calls_by_account on agent_calls (account_id, at desc)');
    await db.raw(`
      create table installation (
        id integer primary key check (id = 1),
        secret text not null,
        created_at timestamptz not null default now()
      )`);
  },
  async down(db) {
    await db.raw('drop table installation, agent_calls, api_keys, memberships, projects, accounts');
  },
};
