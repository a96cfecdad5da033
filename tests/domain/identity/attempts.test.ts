import assert from 'node:assert/strict';
import { Attempts } from '../../../src/domain/identity/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { testDatabase } from '../../support/boot.ts';
import { FakeClock } from '../../support/fakes/clock.ts';

const LIMIT = { points: 3, seconds: 60 };

describe('Attempts', () => {
  it('counts for all processes together, also when they try at the same moment', async () => {
    const db = await testDatabase();
    const clock = new FakeClock();
    const processes = [1, 2, 3, 4].map(() => new Attempts({ db, clock }).limit('guess', LIMIT));
    const key = newId();
    const decisions = await Promise.all(processes.map((limit) => limit.consume(key)));
    assert.equal(decisions.filter(({ allowed }) => allowed).length, 3);
    assert.deepEqual(await processes[0]?.consume(key), { allowed: false, retryAfterSeconds: 60 });
  });

  it('begins anew when the window is over, and forgets it when swept', async () => {
    const db = await testDatabase();
    const clock = new FakeClock();
    const attempts = new Attempts({ db, clock });
    const limit = attempts.limit('guess', LIMIT);
    const key = newId();
    for (let count = 0; count < 5; count += 1) await limit.consume(key);
    clock.advance(59_000);
    assert.deepEqual(await limit.consume(key), { allowed: false, retryAfterSeconds: 1 });
    clock.advance(1_000);
    assert.deepEqual(await limit.consume(key), { allowed: true });
    clock.advance(60_001);
    await attempts.sweep();
    const left = await db('attempts').where('ends_at', '<', clock.now());
    assert.deepEqual(left, []);
  });

  it('locks nobody out for longer than its window when a clock goes back, and lets go when it leaps', async () => {
    const db = await testDatabase();
    const clock = new FakeClock();
    const limit = new Attempts({ db, clock }).limit('guess', LIMIT);
    const key = newId();
    for (let count = 0; count < 5; count += 1) await limit.consume(key);
    clock.advance(-86_400_000);
    assert.deepEqual(await limit.consume(key), { allowed: false, retryAfterSeconds: 60 });
    clock.advance(60_000);
    assert.deepEqual(await limit.consume(key), { allowed: true });
    for (let count = 0; count < 5; count += 1) await limit.consume(key);
    clock.advance(86_400_000);
    assert.deepEqual(await limit.consume(key), { allowed: true });
  });

  it('keeps limits and keys apart, takes back what is forgiven, and stores neither name nor address', async () => {
    const db = await testDatabase();
    const attempts = new Attempts({ db, clock: new FakeClock() });
    const [guess, other] = [attempts.limit('guess', LIMIT), attempts.limit('other', LIMIT)];
    const [mine, theirs] = [newId(), newId()];
    for (let count = 0; count < 4; count += 1) await guess.consume(mine);
    assert.equal((await guess.consume(theirs)).allowed, true);
    assert.equal((await other.consume(mine)).allowed, true);
    await guess.forgive(mine);
    await guess.forgive(mine);
    assert.equal((await guess.consume(mine)).allowed, true);
    assert.ok(!JSON.stringify(await db('attempts')).includes(mine));
  });
});
