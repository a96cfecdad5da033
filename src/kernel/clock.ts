/** Wall-clock time for the domain; leases and schedules use the database's time instead. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Milliseconds that only move forward, for measuring how long something took. */
export function monotonicMs(): number {
  return performance.now();
}
