import type { Attempts } from '../domain/identity/index.ts';
import { createMemoryRateLimiter, type MakeLimiter, type RateDecision } from '../http/rate-limit.ts';
import type { Logger } from '../kernel/logger.ts';

/**
 * Limiters that hold for all processes of the installation together. Each use costs a statement until this process has
 * seen the limit's worth of them itself, so they are for what is rare or ought to be; while the store does not answer,
 * each process counts for itself.
 */
export function sharedLimits({
  attempts,
  logger,
}: {
  readonly attempts: Attempts;
  readonly logger: Logger;
}): MakeLimiter {
  return (name, limit) => {
    const own = createMemoryRateLimiter(limit);
    const shared = attempts.limit(`rate ${name}`, limit);
    return {
      async consume(key): Promise<RateDecision> {
        const decision = await own.consume(key);
        // A flood from one address ends here and never reaches the store.
        if (!decision.allowed) return decision;
        try {
          return await shared.consume(key);
        } catch (error) {
          logger.warn('a limit counts for this process alone', { limit: name, error });
          return decision;
        }
      },
      check: (key) => own.check(key),
    };
  };
}
