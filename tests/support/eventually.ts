import { setTimeout as wait } from 'node:timers/promises';

/** Repeats a check until it stops throwing; throws its last error once the time is up. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { withinMs = 20_000, everyMs = 20 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await wait(everyMs);
    }
  }
}
