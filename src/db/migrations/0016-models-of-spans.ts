import type { Tx } from '../database.ts';
import type { Migration } from './migration.ts';

/*
 * Most spans call no model, and nobody asks for those by model, so the index over models is of the others. Weeks that
 * hold spans keep the index they have: it serves as well, and making another would stop what comes in meanwhile.
 */
export const migration: Migration = {
  name: '0016-models-of-spans',
  async up(db) {
    await replaceWhereEmpty(db, `${BY_MODEL} where model is not null`);
  },
  async down(db) {
    await replaceWhereEmpty(db, BY_MODEL);
  },
};

const BY_MODEL = '(project_id, model, start_time_ns)';

/** In `spans` itself, from which weeks to come take their indexes, and in the weeks that wait for their first span. */
async function replaceWhereEmpty(db: Tx, index: string): Promise<void> {
  await db.raw('drop index spans_by_model');
  await db.raw(`create index spans_by_model on spans ${index}`);
  for (const { week, name } of await indexesOfWeeks(db)) {
    const { rows } = await db.raw<{ rows: unknown[] }>('select from ?? limit 1', [week]);
    if (rows.length > 0) continue;
    await db.raw('drop index ??', [name]);
    await db.raw(`create index ?? on ?? ${index}`, [name, week]);
  }
}

/** What serves the models of each week; the names were made by the database. */
async function indexesOfWeeks(db: Tx): Promise<readonly { readonly week: string; readonly name: string }[]> {
  const { rows } = await db.raw<{ rows: { week: string; name: string }[] }>(
    `select i.tablename as week, i.indexname as name from pg_indexes i
     join pg_inherits h on h.inhrelid = format('%I.%I', i.schemaname, i.tablename)::regclass
     where h.inhparent = 'spans'::regclass and i.indexdef like '%(project_id, model, start_time_ns)%' order by 1`,
  );
  return rows;
}
