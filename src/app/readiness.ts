import type { Db } from '../db/database.ts';
import { migrationState } from '../db/migrate.ts';
import { migrations } from '../db/migrations/index.ts';
import { within } from '../kernel/duration.ts';

/** A probe that waits longer than its prober tells nobody anything. */
const PROBE_MS = 1_500;

/** Asks the database for its state on every probe: a pool that still holds connections proves nothing. */
export function databaseCheck(db: Db): () => Promise<void> {
  return () => within(check(db), PROBE_MS, () => new Error('The database did not answer in time.'));
}

async function check(db: Db): Promise<void> {
  const { pending } = await migrationState(db, migrations);
  if (pending.length > 0) throw new Error(`The database lacks ${pending.join(', ')}.`);
}
