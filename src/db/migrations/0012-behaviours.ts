import type { Migration } from './migration.ts';

/*
 * A behaviour is what a capability calls one of its tasks: a key within the capability, or within the project where no
 * capability is known (''). Runs of behaviours are listed by any of their columns, each from an index in order of start.
 */
export const migration: Migration = {
  name: '0012-behaviours',
  async up(db) {
    await db.raw(BEHAVIOURS);
    await db.raw('alter table task_executions add column behaviour_id text collate "C"');
    await db.raw(
      `insert into behaviours (project_id, id, capability_id, key, created_at)
       select project_id, gen_random_uuid()::text, coalesce(capability_id, ''), behaviour_key, min(created_at)
       from task_executions where behaviour_key <> '' group by project_id, coalesce(capability_id, ''), behaviour_key`,
    );
    await db.raw(
      `update task_executions execution set behaviour_id = known.id from behaviours known
       where known.project_id = execution.project_id and known.capability_id = coalesce(execution.capability_id, '')
         and known.key = execution.behaviour_key`,
    );
    for (const statement of INDEXES) await db.raw(statement);
  },
  async down(db) {
    for (const statement of INDEXES) await db.raw(`drop index if exists ${statement.split(' ')[2] ?? ''}`);
    await db.raw('alter table task_executions drop column behaviour_id');
    await db.raw('drop table behaviours');
  },
};

const BEHAVIOURS = `create table behaviours (
    project_id text not null references projects (id),
    id text collate "C" not null,
    capability_id text collate "C" not null,
    key text collate "C" not null,
    created_at timestamptz not null,
    primary key (project_id, id),
    unique (project_id, capability_id, key)
  )`;

const INDEXES = [
  `create index task_executions_by_behaviour_id on task_executions (project_id, behaviour_id, start_time_ns, id)
    where behaviour_id is not null`,
  'create index task_executions_by_binding on task_executions (project_id, binding_source, start_time_ns, id)',
  'create index task_executions_by_status on task_executions (project_id, status, start_time_ns, id)',
  'create index task_executions_by_code on task_executions (project_id, status_code, start_time_ns, id)',
  'create index task_executions_by_service on task_executions (project_id, service_name, start_time_ns, id)',
  'create index task_executions_by_operation on task_executions (project_id, operation, start_time_ns, id)',
  'create index task_executions_by_type on task_executions (project_id, span_type, start_time_ns, id)',
  'create index task_executions_by_model on task_executions (project_id, model, start_time_ns, id)',
  `create index task_executions_with_model on task_executions (project_id, start_time_ns, id)
    where model is not null`,
  `create index task_executions_without_error on task_executions (project_id, start_time_ns, id)
    where status <> 'error'`,
  'create index task_executions_by_duration on task_executions (project_id, duration_ns)',
  'create index task_executions_by_tokens on task_executions (project_id, total_tokens) where total_tokens is not null',
  'create index task_executions_by_cost on task_executions (project_id, total_cost) where total_cost is not null',
];
