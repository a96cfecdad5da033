import { endWithClient, type Db, type Tx } from './database.ts';

/** Runs the work while no other process of this database does the same; the lock ends with its transaction. */
export async function withAdvisoryLock<T>(db: Db, key: number, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    // Waiting for another process may take longer than any statement in service may.
    await tx.raw('set local statement_timeout = 0');
    await endWithClient(tx);
    await tx.raw('select pg_advisory_xact_lock(?)', [key]);
    return work(tx);
  });
}
