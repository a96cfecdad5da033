import { monotonicMs } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import type { Exchange } from './exchange.ts';

/** How late a deadline may be noticed. */
const LOOK_EVERY_MS = 20;

interface Pending {
  readonly dueMs: number;
  readonly timeoutMs: number;
  readonly exchange: Exchange;
  readonly reject: (error: AppError) => void;
}

/**
 * Waits for work, but no longer than its time. One timer looks at all calls under way: a timer for each would cost as
 * much as the quick ones' own work. Places are used again and never linked, so that what has ended keeps nothing alive.
 */
export class Deadlines {
  readonly #places: (Pending | undefined)[] = [];
  readonly #free: number[] = [];
  #underWay = 0;
  #looksAgain = false;

  /** Gives what the work gives, or throws `unavailable`; late work is told to stop through the exchange's signal. */
  race<T>(work: Promise<T>, timeoutMs: number, exchange: Exchange): Promise<T> {
    return new Promise((resolve, reject) => {
      const pending = { dueMs: monotonicMs() + timeoutMs, timeoutMs, exchange, reject };
      const place = this.#enter(pending);
      work.then(
        (value) => {
          this.#leave(place, pending);
          resolve(value);
        },
        (error: unknown) => {
          this.#leave(place, pending);
          // oxlint-disable-next-line promise/prefer-await-to-then -- a race against a timer
          reject(
            error instanceof Error
              ? error
              : new Error('a handler threw something that is not an error', { cause: error }),
          );
        },
      );
    });
  }

  #enter(pending: Pending): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = pending;
    this.#underWay += 1;
    if (!this.#looksAgain) this.#lookLater();
    return place;
  }

  #leave(place: number, pending: Pending): void {
    if (this.#places[place] !== pending) return;
    this.#places[place] = undefined;
    this.#free.push(place);
    this.#underWay -= 1;
  }

  #lookLater(): void {
    this.#looksAgain = true;
    setTimeout(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  #look(): void {
    this.#looksAgain = false;
    if (this.#underWay > 0) this.#lookLater();
    const nowMs = monotonicMs();
    for (const [place, pending] of this.#places.entries()) {
      if (pending === undefined || pending.dueMs > nowMs) continue;
      this.#leave(place, pending);
      const error = late(pending.timeoutMs);
      pending.exchange.abort(error);
      pending.reject(error);
    }
  }
}

function late(timeoutMs: number): AppError {
  const seconds = Math.round(timeoutMs / 100) / 10;
  return new AppError(
    'unavailable',
    `The call ran out of its time of ${seconds} s. Ask for less, or try again later.`,
    { fields: { timeout_seconds: seconds } },
  );
}
