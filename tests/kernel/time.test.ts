import assert from 'node:assert/strict';
import { sleep, within } from '../../src/kernel/duration.ts';
import { backoffMs, retry } from '../../src/kernel/retry.ts';

describe('sleep', () => {
  it('ends early, without an error, when the signal aborts', async () => {
    const startedAt = performance.now();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 10);
    await sleep(10_000, controller.signal);
    await sleep(10_000, controller.signal);
    assert.ok(performance.now() - startedAt < 1_000);
  });
});

describe('within', () => {
  it('gives what comes in time and throws what it is told to otherwise', async () => {
    assert.equal(await within(Promise.resolve(1), 1_000, () => new Error('late')), 1);
    await assert.rejects(
      within(new Promise(() => undefined), 5, () => new Error('late')),
      /late/,
    );
    await assert.rejects(
      within(Promise.reject(new Error('its own')), 1_000, () => new Error('late')),
      /its own/,
    );
  });
});

describe('backoffMs', () => {
  it('doubles up to its bound and leaves the upper half to chance', () => {
    const waits = (random: number) =>
      [1, 2, 3, 4, 50].map((attempt) => backoffMs(attempt, { baseMs: 100, maxMs: 500, random: () => random }));
    assert.deepEqual(waits(0), [50, 100, 200, 250, 250]);
    assert.deepEqual(waits(1), [100, 200, 400, 500, 500]);
  });
});

describe('retry', () => {
  const options = {
    attempts: 3,
    baseMs: 1,
    maxMs: 2,
    isRetryable: (error: unknown) => String(error).includes('again'),
  };
  const failing = (errors: string[]) => {
    const seen: number[] = [];
    const work = async (attempt: number): Promise<string> => {
      seen.push(attempt);
      const error = errors.shift();
      if (error !== undefined) throw new Error(error);
      return 'done';
    };
    return { seen, work };
  };

  it('repeats what is worth repeating', async () => {
    const { seen, work } = failing(['again', 'again']);
    assert.equal(await retry(work, options), 'done');
    assert.deepEqual(seen, [1, 2, 3]);
  });

  it('throws at once what is not, and the last error when the attempts are used up', async () => {
    const hopeless = failing(['no']);
    await assert.rejects(retry(hopeless.work, options), /no/);
    assert.deepEqual(hopeless.seen, [1]);
    const endless = failing(['again 1', 'again 2', 'again 3', 'again 4']);
    await assert.rejects(retry(endless.work, options), /again 3/);
  });

  it('stops when the signal aborts', async () => {
    const { seen, work } = failing(['again', 'again']);
    const controller = new AbortController();
    controller.abort(new Error('stopped'));
    await assert.rejects(retry(work, { ...options, signal: controller.signal }), /stopped/);
    assert.deepEqual(seen, []);
  });
});
