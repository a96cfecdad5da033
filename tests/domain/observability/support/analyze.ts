import type { Db } from '../../../../src/db/database.ts';

/** Tells the planner what is stored, however long a busy machine takes over it. */
export async function analyze(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.raw('set local statement_timeout = 0');
    await tx.raw('analyze traces, spans, task_executions, traffic');
  });
}
