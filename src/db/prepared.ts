import type { Db, Tx } from './database.ts';

type Values = Parameters<Tx['raw']>[1];

/**
 * Runs a statement that each connection keeps parsed and planned, for statements that come many times a second: with
 * the indexes that spans have, planning one costs more than running it. `name` belongs to one text, at most 63 bytes.
 */
export async function prepared<Row>(
  db: Db | Tx,
  name: string,
  sql: string,
  values: NonNullable<Values>,
): Promise<readonly Row[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(sql, values).options({ name });
  return rows;
}
