import type { Db } from '../../db/database.ts';
import { randomToken } from '../../kernel/secrets.ts';

/**
 * The secret that signs cursors and sealed state when the operator sets none. It lives in the database, so that every
 * process on the same store signs alike; whoever can read it there can read the data itself.
 */
export class InstallationSecretRepository {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The same answer for every process, whichever comes first. */
  async getOrCreate(): Promise<string> {
    await this.#db('installation').insert({ id: 1, secret: randomToken() }).onConflict('id').ignore();
    const row: { secret: string } | undefined = await this.#db('installation').where({ id: 1 }).first('secret');
    if (row === undefined) throw new Error('The installation row is missing right after it was made.');
    return row.secret;
  }
}
