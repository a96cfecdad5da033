import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SECOND_MS } from '../../kernel/duration.ts';
import { sha256 } from '../../kernel/secrets.ts';
import { AttemptRepository } from './attempt-repository.ts';

export type AttemptDecision =
  { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number };

/** How often one thing may be tried. */
export interface AttemptLimit {
  /** Counts a try and says whether it may go on. */
  consume(key: string): Promise<AttemptDecision>;
  /** Takes a try back that turned out to be no guess. */
  forgive(key: string): Promise<void>;
}

/** Counts tries in the store, so that a limit holds for all processes together and through restarts. */
export class Attempts {
  readonly #attempts: AttemptRepository;
  readonly #clock: Clock;

  constructor({ db, clock }: { readonly db: Db; readonly clock: Clock }) {
    this.#attempts = new AttemptRepository(db);
    this.#clock = clock;
  }

  /** `name` keeps limits apart that count by the same keys. */
  limit(name: string, { points, seconds }: { readonly points: number; readonly seconds: number }): AttemptLimit {
    const digest = (key: string): string => sha256(`${name}\n${key}`);
    return {
      consume: async (key) => {
        const now = this.#clock.now();
        const endsAt = new Date(now.getTime() + seconds * SECOND_MS);
        const state = await this.#attempts.count(digest(key), { now, endsAt });
        if (state.count <= points) return { allowed: true };
        const waitMs = state.endsAt.getTime() - now.getTime();
        return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND_MS)) };
      },
      forgive: (key) => this.#attempts.uncount(digest(key)),
    };
  }

  /** Forgets windows that are over; for a schedule. */
  async sweep(): Promise<void> {
    await this.#attempts.deleteEndedBefore(this.#clock.now());
  }
}
