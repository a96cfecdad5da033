import type { Migration } from './migration.ts';

/*
 * The chat of a dataset. A turn of the agent that goes on after decisions names the turn it goes on from, and only one
 * may. The transcript is what the agent and the model said within a turn under way: it lets another worker go on where
 * one was killed, and is removed when the turn ends.
 */
export const migration: Migration = {
  name: '0014-dataset-turns',
  async up(db) {
    for (const statement of [...TURNS, ...TRANSCRIPTS]) await db.raw(statement);
  },
  async down(db) {
    await db.raw('drop table dataset_turn_messages, dataset_turns');
  },
};

const TURNS = [
  `create table dataset_turns (
    project_id text not null,
    id text collate "C" not null,
    dataset_id text collate "C" not null,
    role text not null check (role in ('user', 'agent')),
    text text not null default '',
    error text,
    cells jsonb not null default '[]',
    status text not null check (status in ('running', 'awaiting_approval', 'resolved', 'complete', 'error')),
    progress jsonb,
    continues text collate "C",
    account_id text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    ended_at timestamptz,
    primary key (project_id, id),
    foreign key (project_id, dataset_id) references datasets (project_id, id) on delete cascade,
    foreign key (project_id, continues) references dataset_turns (project_id, id),
    unique (project_id, continues),
    check ((status = 'error') = (error is not null)),
    check ((status = 'running') = (ended_at is null))
  )`,
  'create index dataset_turns_by_dataset on dataset_turns (project_id, dataset_id, id)',
];

const TRANSCRIPTS = [
  `create table dataset_turn_messages (
    project_id text not null,
    turn_id text collate "C" not null,
    position integer not null check (position >= 0),
    message jsonb not null,
    primary key (project_id, turn_id, position),
    foreign key (project_id, turn_id) references dataset_turns (project_id, id) on delete cascade
  )`,
];
