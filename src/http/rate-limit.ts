import type Koa from 'koa';
import { RateLimiterMemory, type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { Refusal } from './refusal.ts';

export type RateDecision = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number };

/** Counts uses per key. */
export interface RateLimiter {
  consume(key: string): Promise<RateDecision>;
  /** What `consume` would say, without counting. */
  check(key: string): Promise<RateDecision>;
}

export interface RateLimit {
  readonly points: number;
  readonly seconds: number;
}

/** Makes a limiter; `name` keeps those apart that count by the same keys in one store. */
export type MakeLimiter = (name: string, limit: RateLimit) => RateLimiter;

const ALLOWED: RateDecision = { allowed: true };
const allow = (): RateDecision => ALLOWED;

/** A limiter in this process's memory; every process counts for itself. */
export function createMemoryRateLimiter(limit: RateLimit): RateLimiter {
  return fromStore(new RateLimiterMemory({ points: limit.points, duration: limit.seconds }), limit);
}

/** A limiter over any store of rate-limiter-flexible; a store that fails lets the request pass. */
function fromStore(store: RateLimiterAbstract, { points, seconds }: RateLimit): RateLimiter {
  return {
    consume: (key) =>
      // Chained by hand: an async function would cost every request two more turns of the microtask queue.
      store
        .consume(key)
        .then(allow, (refusal: unknown) => (refusal instanceof RateLimiterRes ? refused(refusal, seconds) : ALLOWED)),
    async check(key) {
      const state = await store.get(key);
      return state !== null && state.consumedPoints > points ? refused(state, seconds) : ALLOWED;
    },
  };
}

/** The store measures with the wall clock, and forgets by a timer: after a step back of the clock it would say more than it means. */
function refused(state: RateLimiterRes, seconds: number): RateDecision {
  const wait = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  return { allowed: false, retryAfterSeconds: Math.min(wait, seconds) };
}

export function rateLimited(retryAfterSeconds: number): Refusal {
  return new Refusal(429, 'rate_limited', `Too many requests. Try again in ${retryAfterSeconds} s.`, {
    fields: { retry_after_seconds: retryAfterSeconds },
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** Limits by whatever the key function says, usually an address or a credential's digest. */
export function rateLimit(limiter: RateLimiter, keyOf: (ctx: Koa.Context) => string): Koa.Middleware {
  return async (ctx, next) => {
    const decision = await limiter.consume(keyOf(ctx));
    if (!decision.allowed) throw rateLimited(decision.retryAfterSeconds);
    await next();
  };
}
