export interface ShortCacheOptions {
  readonly ttlMs: number;
  /** Entries kept at once; the oldest goes first. */
  readonly max: number;
  /** Milliseconds that only move forward. */
  readonly now: () => number;
}

interface Entry<V> {
  readonly value: V;
  readonly until: number;
}

/**
 * Remembers good answers for a moment, so that a burst of calls with one credential costs one query. Concurrent misses
 * for one key share a load. Absent answers are never kept: a key works from the moment it is made.
 */
export class ShortCache<V> {
  readonly #options: ShortCacheOptions;
  readonly #entries = new Map<string, Entry<V>>();
  readonly #loading = new Map<string, Promise<V | undefined>>();
  /** Moves on with every `clear`; a load that began before must not put its answer back. */
  #generation = 0;

  constructor(options: ShortCacheOptions) {
    this.#options = options;
  }

  peek(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > this.#options.now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Loads on a miss. `keep` says whether an answer may be remembered. */
  load(key: string, load: () => Promise<V | undefined>, keep: (value: V) => boolean): Promise<V | undefined> {
    const running = this.#loading.get(key);
    if (running !== undefined) return running;
    const promise = this.#fetch(key, load, keep).finally(() => {
      if (this.#loading.get(key) === promise) this.#loading.delete(key);
    });
    this.#loading.set(key, promise);
    return promise;
  }

  /** Forgets everything, loads under way included. */
  clear(): void {
    this.#generation += 1;
    this.#entries.clear();
    this.#loading.clear();
  }

  async #fetch(key: string, load: () => Promise<V | undefined>, keep: (value: V) => boolean): Promise<V | undefined> {
    const generation = this.#generation;
    // The time of asking counts, not that of the answer: a slow query must not stretch the bound.
    const until = this.#options.now() + this.#options.ttlMs;
    const value = await load();
    if (value !== undefined && generation === this.#generation && keep(value)) this.#keep(key, { value, until });
    return value;
  }

  #keep(key: string, entry: Entry<V>): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= this.#options.max) return;
    const oldest = this.#entries.keys().next().value;
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
