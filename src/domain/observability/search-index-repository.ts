import type { Db } from '../../db/database.ts';

/** The indexes that searches read. They belong to the server, not to a project. */
export class SearchIndexRepository {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Sorts what came in lately into the indexes; answers how many pages that were. Until then such entries lie in a list
   * of up to four megabytes, which makes taking them in four times as cheap and which every search reads from end to
   * end. A database without trigrams has no such index.
   */
  async settle(): Promise<number> {
    const { rows } = await this.#db.raw<{ rows: { pages: number }[] }>(
      `select coalesce(sum(gin_clean_pending_list(i.indexrelid)), 0)::int as pages
       from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
       where a.amname = 'gin' and i.indrelid in ('traces'::regclass, 'span_labels'::regclass)`,
    );
    return rows[0]?.pages ?? 0;
  }
}
