import assert from 'node:assert/strict';
import { createIdMaker, idOfName, isUuid, newId } from '../../src/kernel/ids.ts';
import { FakeClock } from '../support/fakes/clock.ts';

describe('newId', () => {
  it('makes UUIDs of version 7 that carry the time', () => {
    const clock = new FakeClock('2026-03-01T12:00:00.000Z');
    const id = createIdMaker(clock)();
    assert.ok(isUuid(id), id);
    assert.equal(id.charAt(14), '7');
    assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), clock.now().getTime());
  });

  it('makes ids that sort in the order they were made, within a millisecond and when the clock steps back', () => {
    const clock = new FakeClock();
    const make = createIdMaker(clock);
    const ids: string[] = [];
    for (let index = 0; index < 12_000; index += 1) {
      if (index === 9_000) clock.advance(-5_000);
      if (index === 11_000) clock.advance(60_000);
      ids.push(make());
    }
    assert.deepEqual(ids, ids.toSorted());
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.every(isUuid));
  });

  it('does not give two processes the same ids', () => {
    const clock = new FakeClock();
    const [one, two] = [createIdMaker(clock), createIdMaker(clock)];
    const ids = Array.from({ length: 2_000 }, () => [one(), two()]).flat();
    assert.equal(new Set(ids).size, ids.length);
  });

  it('is told from other text', () => {
    assert.ok(isUuid(newId()));
    for (const text of ['', 'x', newId().toUpperCase(), `${newId()} `, newId().replace(/.$/, 'g')]) {
      assert.equal(isUuid(text), false, text);
    }
  });
});

describe('idOfName', () => {
  it('makes the UUID of version 8 that every process makes of the name', () => {
    assert.equal(idOfName('p1', 'chat-1'), '13500e2d-6c59-8083-8b28-288122f8da98');
  });

  it('tells names apart by their parts', () => {
    const ids = [idOfName('a', 'bc'), idOfName('ab', 'c'), idOfName('abc'), idOfName('a', 'b', 'c')];
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.every(isUuid));
  });
});
