import type { Migration } from './migration.ts';

/*
 * The order in which a project's new traces become visible. A clock cannot tell it: of two batches that overlap, the one
 * that began first may be committed last, and whoever follows by time passes over its traces. The number is drawn under
 * the lock that counting takes (see 0011-traffic), which is held until the commit, so lower numbers are always visible
 * first. Traces from before have none.
 */
export const migration: Migration = {
  name: '0015-arrivals',
  async up(db) {
    await db.raw('create sequence trace_arrivals');
    await db.raw('alter table traces add column arrival bigint');
    await db.raw('create index traces_by_arrival on traces (project_id, arrival) where arrival is not null');
    await db.raw(
      `create function traces_number_arrival() returns trigger language plpgsql as $$
        begin
          perform pg_advisory_xact_lock(7301884, hashtext(new.project_id));
          new.arrival := nextval('trace_arrivals');
          return new;
        end $$`,
    );
    await db.raw(
      `create trigger traces_number_arrival before insert on traces
       for each row execute function traces_number_arrival()`,
    );
  },
  async down(db) {
    await db.raw('drop trigger traces_number_arrival on traces');
    await db.raw('drop function traces_number_arrival()');
    await db.raw('alter table traces drop column arrival');
    await db.raw('drop sequence trace_arrivals');
  },
};
