import { slowerNow, type Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { DAY_MS } from '../../kernel/duration.ts';
import { SearchIndexRepository } from './search-index-repository.ts';
import { SpanLabelRepository } from './span-label-repository.ts';
import { SpanWeekRepository } from './span-week-repository.ts';
import { weekOf } from './span-week.ts';

interface SpansKept {
  /** Spans that now lie in the table of their week. */
  readonly moved: number;
  readonly droppedWeeks: number;
  readonly removedTraces: number;
}

const WEEKS_AHEAD = 3;
const SPANS_AT_ONCE = 5_000;
const TRACES_AT_ONCE = 1_000;
const WEEK_MS = 7 * DAY_MS;

/** What keeps the store of traces in order while nobody asks. May run in several processes at once. */
export class UpkeepService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #weeks: SpanWeekRepository;
  readonly #labels: SpanLabelRepository;
  readonly #searchIndex: SearchIndexRepository;

  constructor(parts: { readonly db: Db; readonly clock: Clock }) {
    this.#db = parts.db;
    this.#clock = parts.clock;
    this.#weeks = new SpanWeekRepository(parts.db);
    this.#labels = new SpanLabelRepository(parts.db);
    this.#searchIndex = new SearchIndexRepository(parts.db);
  }

  /**
   * Makes the tables of the coming weeks, moves spans of no week into theirs, and forgets what is older than the server
   * keeps; nothing without `keepDays`. Spans go by the whole week, so the oldest stay up to six days longer. All of it
   * goes in small steps.
   */
  async keepSpans(keepDays: number | undefined, signal: AbortSignal): Promise<SpansKept> {
    const now = this.#clock.now();
    for (let ahead = 0; ahead <= WEEKS_AHEAD; ahead += 1) {
      await this.#weeks.ensure(new Date(now.getTime() + ahead * WEEK_MS));
    }
    const removed =
      keepDays === undefined ? { droppedWeeks: 0, removedTraces: 0 } : await this.#forget(keepDays, signal);
    return { moved: await this.#moveStrays(now, signal), ...removed };
  }

  /** Keeps searches from reading what came in lately from end to end; answers how many pages of it were sorted in. */
  async settleSearches(): Promise<number> {
    return this.#searchIndex.settle();
  }

  async #forget(keepDays: number, signal: AbortSignal): Promise<Omit<SpansKept, 'moved'>> {
    const now = await slowerNow(this.#db, this.#clock);
    const kept = weekOf(new Date(now.getTime() - keepDays * DAY_MS)).from;
    const over = (await this.#weeks.list()).filter(({ until }) => until <= kept);
    for (const week of over) await this.#weeks.drop(week);
    await untilFewer(SPANS_AT_ONCE, signal, () => this.#weeks.removeStrays(kept, SPANS_AT_ONCE));
    await this.#labels.removeBefore(kept);
    let removedTraces = 0;
    for (const projectId of await this.#weeks.projectIds()) {
      removedTraces += await untilFewer(TRACES_AT_ONCE, signal, () =>
        this.#weeks.removeTraces(projectId, kept, TRACES_AT_ONCE),
      );
      await this.#weeks.removeEmptyTraffic(projectId, kept);
    }
    return { droppedWeeks: over.length, removedTraces };
  }

  /** Week after week. What a clock that jumped wrote far ahead stays where it is. */
  async #moveStrays(now: Date, signal: AbortSignal): Promise<number> {
    const last = weekOf(new Date(now.getTime() + WEEKS_AHEAD * WEEK_MS)).until;
    let moved = 0;
    let from = new Date(0);
    while (!signal.aborted) {
      const oldest = await this.#weeks.oldestStray(from, last);
      if (oldest === undefined) break;
      const week = weekOf(oldest);
      await this.#weeks.ensure(oldest);
      moved += await untilFewer(SPANS_AT_ONCE, signal, () => this.#weeks.moveInto(week, SPANS_AT_ONCE));
      from = week.until;
    }
    return moved;
  }
}

/** Repeats a step that does up to `full` at once until it finds less than that; answers the sum. */
async function untilFewer(full: number, signal: AbortSignal, step: () => Promise<number>): Promise<number> {
  let sum = 0;
  for (let done = full; done >= full && !signal.aborted;) {
    done = await step();
    sum += done;
  }
  return sum;
}
