import { likeText, type Db } from '../../db/database.ts';

/**
 * What the spans of a project are called: their names and services in lower case, as the database notes them of what
 * comes in (see the step `0017-span-labels`).
 */
export class SpanLabelRepository {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Up to `limit` labels with this text in them, which is in lower case. */
  async containing(projectId: string, text: string, limit: number): Promise<readonly string[]> {
    const { rows } = await this.#db.raw<{ rows: { label: string }[] }>(
      `select distinct label from span_labels where project_id = ? and label like ? escape '\\' limit ?`,
      [projectId, `%${likeText(text)}%`, limit],
    );
    return rows.map(({ label }) => label);
  }

  /** Forgets the labels of weeks that began before. */
  async removeBefore(week: Date): Promise<void> {
    await this.#db.raw('delete from span_labels where week < ?::timestamptz', [week]);
  }
}
