import { jsonb, type Db, type Tx } from '../../db/database.ts';

export interface RequestKeyName {
  readonly subject: string;
  /** Empty for an operation outside any project. */
  readonly projectId: string;
  readonly operation: string;
  readonly requestKey: string;
}

export interface RequestKeyRow {
  readonly digest: string;
  readonly holder: string | null;
  readonly outcome: unknown;
  /** True when the holder committed its work and is past its time, so its answer will not come. */
  readonly answer_lost: boolean;
}

const NAMED = 'subject = ? and project_id = ? and operation = ? and request_key = ?';

export class RequestKeyRepository {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Takes the key when it is new, expired, or held for the same arguments by a call that never ended and made no
   * effect; otherwise answers what is stored. One statement, so of two calls at once exactly one becomes the holder.
   */
  async claim(
    name: RequestKeyName,
    claim: { digest: string; holder: string; holdMs: number; keepMs: number },
  ): Promise<RequestKeyRow | undefined> {
    const { digest, holder, holdMs, keepMs } = claim;
    const taken = await this.#db.raw<{ rows: RequestKeyRow[] }>(
      `insert into request_keys as stored
         (subject, project_id, operation, request_key, digest, holder, held_until, expires_at)
       values (?, ?, ?, ?, ?, ?, now() + ? * interval '1 ms', now() + ? * interval '1 ms')
       on conflict (subject, project_id, operation, request_key) do update set digest = excluded.digest,
         holder = excluded.holder, outcome = null, created_at = now(), held_until = excluded.held_until,
         expires_at = excluded.expires_at, effect_at = null
       where stored.expires_at <= now() or (stored.held_until <= now() and stored.effect_at is null
         and stored.digest = excluded.digest)
       returning digest, holder, outcome, false as answer_lost`,
      [...values(name), digest, holder, holdMs, keepMs],
    );
    if (taken.rows[0] !== undefined) return taken.rows[0];
    const stored = await this.#db.raw<{ rows: RequestKeyRow[] }>(
      `select digest, holder, outcome, holder is not null and effect_at is not null and held_until <= now() as answer_lost
       from request_keys where ${NAMED}`,
      values(name),
    );
    return stored.rows[0];
  }

  async complete(name: RequestKeyName, holder: string, outcome: unknown): Promise<void> {
    await this.#db.raw(
      `update request_keys set outcome = ?, holder = null, held_until = null where ${NAMED} and holder = ?`,
      [jsonb(this.#db, outcome), ...values(name), holder],
    );
  }

  /** Notes in the transaction of the work that it takes effect; false when another call holds the key by now. */
  async markEffect(tx: Tx, name: RequestKeyName, holder: string): Promise<boolean> {
    const result = await tx.raw<{ rowCount: number }>(
      `update request_keys set effect_at = now() where ${NAMED} and holder = ?`,
      [...values(name), holder],
    );
    return result.rowCount === 1;
  }

  async release(name: RequestKeyName, holder: string): Promise<void> {
    await this.#db.raw(`delete from request_keys where ${NAMED} and holder = ? and effect_at is null`, [
      ...values(name),
      holder,
    ]);
  }

  async deleteExpired(limit: number): Promise<number> {
    const result = await this.#db.raw<{ rowCount: number }>(
      `delete from request_keys where ctid = any(array(
         select ctid from request_keys where expires_at <= now() limit ?))`,
      [limit],
    );
    return result.rowCount;
  }
}

function values(name: RequestKeyName): string[] {
  return [name.subject, name.projectId, name.operation, name.requestKey];
}
