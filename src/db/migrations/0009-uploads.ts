import type { Migration } from './migration.ts';

/* The pieces of a file lie in the object store under keys of their own until the file has become rows or is given up. */
export const migration: Migration = {
  name: '0009-uploads',
  async up(db) {
    await db.raw(`
      create table uploads (
        project_id text not null references projects (id),
        id text collate "C" not null,
        file_name text not null,
        format text not null check (format in ('csv', 'tsv', 'json', 'jsonl', 'parquet')),
        size_bytes bigint not null check (size_bytes > 0),
        sha256 text,
        received_bytes bigint not null default 0 check (received_bytes between 0 and size_bytes),
        created_by text not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        used_at timestamptz,
        primary key (project_id, id)
      )`);
    await db.raw('create index uploads_by_update on uploads (updated_at)');
    await db.raw(`
      create table upload_chunks (
        project_id text not null,
        upload_id text collate "C" not null,
        start_byte bigint not null,
        size_bytes integer not null check (size_bytes > 0),
        sha256 text not null,
        object_key text not null unique,
        primary key (project_id, upload_id, start_byte),
        foreign key (project_id, upload_id) references uploads (project_id, id) on delete cascade
      )`);
  },
  async down(db) {
    await db.raw('drop table upload_chunks, uploads');
  },
};
