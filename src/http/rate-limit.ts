export type RateDecision = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number };

/** Counts uses per key. A memory limiter answers at once, a shared one may take its time. */
export interface RateLimiter {
  consume(key: string): RateDecision | Promise<RateDecision>;
}
