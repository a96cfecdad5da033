import type { Tx } from '../../db/database.ts';
import { monotonicMs } from '../../kernel/clock.ts';
import { MINUTE_MS } from '../../kernel/duration.ts';
import { SpanWeekRepository } from './span-week-repository.ts';
import { weekOf, type SpanWeek } from './span-week.ts';

/** Where the spans of one batch go. */
interface SpanPlace {
  /** The week's own table, or `spans` where none is made for it. */
  readonly table: string;
  readonly week: SpanWeek;
}

/** Knows which weeks have a table, so that a batch need not ask. */
export class SpanWeeks {
  #known: ReadonlySet<string> | undefined;
  #askedAt = 0;

  async placeFor(tx: Tx, receivedAt: Date): Promise<SpanPlace> {
    const week = weekOf(receivedAt);
    const known = await this.#tables(tx);
    return { table: known.has(week.table) ? week.table : 'spans', week };
  }

  /** Asks again once a minute: a week can be made, and one that the clock jumped back to can be gone. */
  async #tables(tx: Tx): Promise<ReadonlySet<string>> {
    const now = monotonicMs();
    if (this.#known !== undefined && now - this.#askedAt < MINUTE_MS) return this.#known;
    const weeks = await new SpanWeekRepository(tx).list();
    this.#known = new Set(weeks.map(({ table }) => table));
    this.#askedAt = now;
    return this.#known;
  }
}
