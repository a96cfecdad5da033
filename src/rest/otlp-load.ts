import { rateLimited } from '../http/rate-limit.ts';

interface IngestLoadLimits {
  /** Requests that may be anywhere between their head and their answer. */
  readonly maxRequests: number;
  /** Unpacked bytes that may be in memory at once. */
  readonly maxBytes: number;
  /** Batches that may be written at once; the other connections of the pool are for readers. */
  readonly maxWriters: number;
}

const DEFAULT_INGEST_LIMITS: IngestLoadLimits = {
  maxRequests: 32,
  maxBytes: 64 * 1024 * 1024,
  maxWriters: 3,
};

const RETRY_SECONDS = 1;

/**
 * How much ingest the process has on its hands. What is over the bounds is refused with 429, so that exporters keep
 * their batches and come again: memory stays flat, and nothing is half stored.
 */
export class IngestLoad {
  readonly #limits: IngestLoadLimits;
  readonly #waiting: (() => void)[] = [];
  #requests = 0;
  #bytes = 0;
  #writers = 0;

  constructor(limits: IngestLoadLimits = DEFAULT_INGEST_LIMITS) {
    this.#limits = limits;
  }

  /** Counts a request from before its body is read. */
  async admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#requests >= this.#limits.maxRequests) throw rateLimited(RETRY_SECONDS);
    this.#requests += 1;
    try {
      return await work();
    } finally {
      this.#requests -= 1;
    }
  }

  /** Does the work when a writer is free; `bytes` are in memory until it is done. */
  async carry<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    // A single export over the bound still passes when it is alone.
    if (this.#bytes > 0 && this.#bytes + bytes > this.#limits.maxBytes) throw rateLimited(RETRY_SECONDS);
    this.#bytes += bytes;
    try {
      await this.#takeWriter();
      return await work();
    } finally {
      this.#freeWriter();
      this.#bytes -= bytes;
    }
  }

  #takeWriter(): Promise<void> {
    if (this.#writers < this.#limits.maxWriters) {
      this.#writers += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Hands the place on, so that the number of writers never passes the bound in between. */
  #freeWriter(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#writers -= 1;
    else next();
  }
}
