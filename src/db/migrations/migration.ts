import type { Tx } from '../database.ts';

/** One step of the schema. Both directions run inside the transaction that records them. SQL for PostgreSQL 15. */
export interface Migration {
  /** `NNNN-what-changes`, the file's name. */
  readonly name: string;
  /**
   * The newest step that a server must know to go on beside this one. Absent where the schema only grows, which servers
   * of the version before do not mind; a step that takes away or tightens something names the step that made it needless.
   */
  readonly needs?: string;
  up(db: Tx): Promise<void>;
  down(db: Tx): Promise<void>;
}
