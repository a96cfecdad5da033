import type { Migration } from './migration.ts';

/*
 * Whether a trace has spans that name no capability and so have that of their trace. Those of one capability are found
 * through their traces, and where every span names its own there are none to look through. What a server of the
 * release before writes may have some.
 */
export const migration: Migration = {
  name: '0010-bare-spans',
  async up(db) {
    await db.raw('alter table traces add column has_bare_spans boolean not null default true');
    await db.raw(
      `create index traces_with_bare_spans on traces (project_id, capability_id, start_time_ns, trace_id)
       where has_bare_spans`,
    );
    // Which capabilities have such traces is no matter of chance, as the planner would take it for.
    await db.raw('create statistics traces_bare_by_capability on capability_id, has_bare_spans from traces');
  },
  async down(db) {
    await db.raw('alter table traces drop column has_bare_spans');
  },
};
