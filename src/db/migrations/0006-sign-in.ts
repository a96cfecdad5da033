import type { Migration } from './migration.ts';

/*
 * Secrets of sessions and password links are here as SHA-256 only. A used link stays until it is swept, so that its
 * second use is told apart from a link nobody made.
 */
export const migration: Migration = {
  name: '0006-sign-in',
  async up(db) {
    await db.raw(`
      create table account_sessions (
        id text primary key,
        token_hash text not null unique,
        account_id text not null references accounts (id),
        client_ip text not null,
        user_agent text not null,
        created_at timestamptz not null,
        last_seen_at timestamptz not null,
        expires_at timestamptz not null,
        revoked_at timestamptz
      )`);
    await db.raw('create index account_sessions_by_account on account_sessions (account_id, created_at desc)');
    await db.raw('create index account_sessions_by_expiry on account_sessions (expires_at)');
    await db.raw(`
      create table password_links (
        token_hash text primary key,
        account_id text not null references accounts (id),
        purpose text not null check (purpose in ('first_run', 'invitation', 'reset')),
        created_at timestamptz not null,
        expires_at timestamptz not null,
        used_at timestamptz
      )`);
    await db.raw('create index password_links_by_account on password_links (account_id)');
    await db.raw('create index password_links_by_expiry on password_links (expires_at)');
  },
  async down(db) {
    await db.raw('drop table password_links, account_sessions');
  },
};
