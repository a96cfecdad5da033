import type Koa from 'koa';
import { createMemoryRateLimiter, type MakeLimiter, type RateLimiter } from '../http/rate-limit.ts';

/** Requests per address and minute. */
const PER_MINUTE = { register: 30, authorize: 60, token: 120, revoke: 120, signIn: 10 } as const;

export type Limited = keyof typeof PER_MINUTE;

const inMemory: MakeLimiter = (_, limit) => createMemoryRateLimiter(limit);

export class OAuthLimits {
  readonly #limiters: Readonly<Record<Limited, RateLimiter>>;
  readonly #clientIp: (ctx: Koa.Context) => string;

  /** Without a maker of its own each process counts for itself. */
  constructor(clientIp: (ctx: Koa.Context) => string, makeLimiter: MakeLimiter = inMemory) {
    const limiter = (what: Limited): RateLimiter =>
      makeLimiter(`oauth ${what}`, { points: PER_MINUTE[what], seconds: 60 });
    this.#clientIp = clientIp;
    this.#limiters = {
      register: limiter('register'),
      authorize: limiter('authorize'),
      token: limiter('token'),
      revoke: limiter('revoke'),
      signIn: limiter('signIn'),
    };
  }

  /** Seconds to wait when this address has had its share; undefined when it may go on. */
  async exceeded(what: Limited, ctx: Koa.Context): Promise<number | undefined> {
    return this.exceededBy(what, this.#clientIp(ctx));
  }

  async exceededBy(what: Limited, key: string): Promise<number | undefined> {
    const decision = await this.#limiters[what].consume(key);
    return decision.allowed ? undefined : decision.retryAfterSeconds;
  }
}
