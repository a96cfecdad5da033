import type { Tx } from '../database.ts';

/** One step of the schema. Both directions run inside the transaction that records them. SQL for PostgreSQL 15. */
export interface Migration {
  /** `NNNN-what-changes`, the file's name. */
  readonly name: string;
  up(db: Tx): Promise<void>;
  down(db: Tx): Promise<void>;
}
