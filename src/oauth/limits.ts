import type Koa from 'koa';
import { createMemoryRateLimiter, type RateLimiter } from '../http/rate-limit.ts';

/** Requests per address and minute. Each process counts for itself. */
const PER_MINUTE = { register: 30, authorize: 60, token: 120, revoke: 120, signIn: 10 } as const;

export type Limited = keyof typeof PER_MINUTE;

export class OAuthLimits {
  readonly #limiters: Readonly<Record<Limited, RateLimiter>>;
  readonly #clientIp: (ctx: Koa.Context) => string;

  constructor(clientIp: (ctx: Koa.Context) => string) {
    const limiter = (what: Limited): RateLimiter => createMemoryRateLimiter({ points: PER_MINUTE[what], seconds: 60 });
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
