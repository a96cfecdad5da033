import type { Migration } from './migration.ts';

/* How often something was tried in the window at hand. The key is a digest: it says neither who tried nor from where. */
export const migration: Migration = {
  name: '0008-attempts',
  async up(db) {
    await db.raw(`
      create table attempts (
        key text primary key,
        count integer not null,
        ends_at timestamptz not null
      )`);
    await db.raw('create index attempts_by_end on attempts (ends_at)');
  },
  async down(db) {
    await db.raw('drop table attempts');
  },
};
