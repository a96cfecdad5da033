import type { Migration } from './migration.ts';

/*
 * Tokens and codes are here as SHA-256 only. A rotated refresh token stays as a consumed row, so that its reuse can
 * be told from a token nobody ever had; a revoked grant stays until its rows are swept.
 */
export const migration: Migration = {
  name: '0005-oauth',
  async up(db) {
    await db.raw(`
      create table oauth_clients (
        id text primary key,
        metadata jsonb not null,
        created_at timestamptz not null
      )`);
    await db.raw(`
      create table oauth_grants (
        id text primary key,
        account_id text not null references accounts (id),
        client_id text not null,
        client_name text not null,
        client_kind text not null check (client_kind in ('registered', 'document')),
        redirect_host text not null,
        resource text not null,
        scopes text[] not null check (cardinality(scopes) > 0),
        created_at timestamptz not null,
        first_used_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        revoked_because text,
        check ((revoked_at is null) = (revoked_because is null))
      )`);
    await db.raw('create index oauth_grants_by_account on oauth_grants (account_id, created_at desc)');
    await db.raw('create index oauth_grants_by_client on oauth_grants (client_id)');
    await db.raw(`
      create table oauth_tokens (
        hash text primary key,
        kind text not null check (kind in ('code', 'access', 'refresh')),
        grant_id text not null references oauth_grants (id) on delete cascade,
        client_id text not null,
        scopes text[] not null,
        payload jsonb not null default '{}',
        created_at timestamptz not null,
        expires_at timestamptz check (expires_at is not null or kind = 'refresh'),
        consumed_at timestamptz
      )`);
    await db.raw('create index oauth_tokens_by_grant on oauth_tokens (grant_id)');
    await db.raw('create index oauth_tokens_by_expiry on oauth_tokens (expires_at) where expires_at is not null');
    await db.raw(`
      create table oauth_records (
        model text not null,
        key text not null,
        uid text,
        payload jsonb not null,
        expires_at timestamptz not null,
        primary key (model, key)
      )`);
    await db.raw('create index oauth_records_by_uid on oauth_records (model, uid) where uid is not null');
    await db.raw('create index oauth_records_by_expiry on oauth_records (expires_at)');
    await db.raw(`
      create table oauth_keys (
        id text primary key,
        purpose text not null check (purpose in ('signing', 'cookies')),
        sealed text not null,
        created_at timestamptz not null,
        retired_at timestamptz
      )`);
    await db.raw('create unique index oauth_keys_in_use on oauth_keys (purpose) where retired_at is null');
  },
  async down(db) {
    await db.raw('drop table oauth_keys, oauth_records, oauth_tokens, oauth_grants, oauth_clients');
  },
};
