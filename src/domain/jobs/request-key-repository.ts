import { jsonb, type Db } from '../../db/database.ts';

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
}

const NAMED = 'subject = ? and project_id = ? and operation = ? and request_key = ?';

export class RequestKeyRepository {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /**
   * Takes the key when it is new, expired, or held for the same arguments by a call that never ended; otherwise answers
   * what is stored. One statement, so of two calls at once exactly one becomes the holder.
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
         expires_at = excluded.expires_at
       where stored.expires_at <= now() or (stored.held_until <= now() and stored.digest = excluded.digest)
       returning digest, holder, outcome`,
      [...values(name), digest, holder, holdMs, keepMs],
    );
    if (taken.rows[0] !== undefined) return taken.rows[0];
    const stored = await this.#db.raw<{ rows: RequestKeyRow[] }>(
      `select digest, holder, outcome from request_keys where ${NAMED}`,
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

  async release(name: RequestKeyName, holder: string): Promise<void> {
    await this.#db.raw(`delete from request_keys where ${NAMED} and holder = ?`, [...values(name), holder]);
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
