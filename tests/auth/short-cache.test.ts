import assert from 'node:assert/strict';
import { ShortCache } from '../../src/auth/short-cache.ts';

const always = () => true;

function cacheOf(max: number) {
  const time = { now: 0 };
  const cache = new ShortCache<string>({ ttlMs: 2_000, max, now: () => time.now });
  return { cache, time };
}

describe('ShortCache', () => {
  it('holds no more than its bound and lets the oldest go', async () => {
    const { cache } = cacheOf(2);
    for (const key of ['a', 'b', 'c']) await cache.load(key, async () => key, always);
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => cache.peek(key)),
      [undefined, 'b', 'c'],
    );
  });

  it('counts the time from the question, so that a slow answer does not live longer', async () => {
    const { cache, time } = cacheOf(2);
    await cache.load(
      'a',
      async () => {
        time.now = 1_500;
        return 'a';
      },
      always,
    );
    time.now = 1_999;
    assert.equal(cache.peek('a'), 'a');
    time.now = 2_000;
    assert.equal(cache.peek('a'), undefined);
  });

  it('does not keep an answer that was asked for before everything was forgotten', async () => {
    const { cache } = cacheOf(2);
    let answer: (value: string) => void = () => undefined;
    const loading = cache.load('a', () => new Promise((resolve) => (answer = resolve)), always);
    cache.clear();
    answer('old');
    assert.equal(await loading, 'old');
    assert.equal(cache.peek('a'), undefined);
  });

  it('forgets a load that failed, so that the next one tries again', async () => {
    const { cache } = cacheOf(2);
    await assert.rejects(
      cache.load('a', async () => Promise.reject(new Error('down')), always),
      /down/,
    );
    assert.equal(await cache.load('a', async () => 'up', always), 'up');
  });
});
