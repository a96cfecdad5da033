import type { Db, Tx } from '../../db/database.ts';

export interface AttemptState {
  readonly count: number;
  readonly endsAt: Date;
}

/** Far above every limit, far below what the column holds. */
const MOST = 1_000_000;

export class AttemptRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  /**
   * Counts one attempt, in one statement: of several at the same moment each is counted. A window that is over begins
   * anew, and none lasts longer than one that begins now: a clock that stepped back would lock callers out until it is
   * where it was.
   */
  async count(key: string, window: { readonly now: Date; readonly endsAt: Date }): Promise<AttemptState> {
    const { rows } = await this.#db.raw<{ rows: readonly { count: number; ends_at: Date }[] }>(
      `insert into attempts (key, count, ends_at) values (:key, 1, :ends_at)
       on conflict (key) do update set
         count = case when attempts.ends_at <= :now then 1 else least(attempts.count + 1, :most) end,
         ends_at = case when attempts.ends_at <= :now then :ends_at else least(attempts.ends_at, :ends_at) end
       returning count, ends_at`,
      { key, now: window.now, ends_at: window.endsAt, most: MOST },
    );
    const [row] = rows;
    if (row === undefined) throw new Error('an upsert answers its row');
    return { count: row.count, endsAt: row.ends_at };
  }

  async uncount(key: string): Promise<void> {
    await this.#db('attempts').where({ key }).where('count', '>', 0).decrement('count', 1);
  }

  async deleteEndedBefore(moment: Date): Promise<void> {
    await this.#db('attempts').where('ends_at', '<', moment).delete();
  }
}
