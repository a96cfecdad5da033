import assert from 'node:assert/strict';
import { AppError } from '../../src/kernel/errors.ts';
import { PageCursors } from '../../src/kernel/page-cursor.ts';

const QUERY = { list: 'traces', project: 'p', filter: { status: 'error', name: undefined } };
const POSITION = ['2026-03-01T00:00:00.000101Z', 'an id', 7, null, true];

function isRefused(error: unknown): boolean {
  return error instanceof AppError && error.code === 'invalid_filter' && error.fields['field'] === 'cursor';
}

describe('PageCursors', () => {
  const cursors = new PageCursors('a secret');

  it('gives back the position for the same query, however its keys are ordered', () => {
    const cursor = cursors.seal(QUERY, POSITION);
    assert.match(cursor, /^[\w-]+$/);
    assert.deepEqual(cursors.open(QUERY, cursor), POSITION);
    const reordered = { filter: { status: 'error' }, project: 'p', list: 'traces' };
    assert.deepEqual(new PageCursors('a secret').open(reordered, cursor), POSITION);
  });

  it('refuses a cursor of another query', () => {
    const cursor = cursors.seal(QUERY, POSITION);
    for (const other of [
      { ...QUERY, project: 'q' },
      { ...QUERY, filter: {} },
      { ...QUERY, list: 'jobs' },
    ]) {
      assert.throws(() => cursors.open(other, cursor), isRefused);
    }
  });

  it('refuses a cursor of another installation', () => {
    assert.throws(() => new PageCursors('another secret').open(QUERY, cursors.seal(QUERY, POSITION)), isRefused);
  });

  it('refuses a cursor with any one character changed, added or missing', () => {
    const cursor = cursors.seal(QUERY, POSITION);
    for (let at = 0; at < cursor.length; at += 1) {
      const forged = cursor.slice(0, at) + (cursor.charAt(at) === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      assert.throws(() => cursors.open(QUERY, forged), isRefused, forged);
    }
    for (const forged of [
      '',
      'x',
      '====',
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      cursor.slice(1),
      cursor.slice(0, -1),
    ]) {
      assert.throws(() => cursors.open(QUERY, forged), isRefused, forged);
    }
    assert.throws(() => cursors.open(QUERY, 'A'.repeat(1_000_000)), isRefused);
  });
});
