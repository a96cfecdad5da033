import assert from 'node:assert/strict';
import { jsonb } from '../../src/db/database.ts';
import { testDatabase } from '../support/boot.ts';

describe('jsonb', () => {
  it('stores an empty array as an empty array', async () => {
    const db = await testDatabase();
    for (const value of [[], ['a', 'b'], {}, { a: [] }, 'text', 1, true, null]) {
      const result = await db.raw<{ rows: { value: unknown }[] }>('select ? as value', [jsonb(db, value)]);
      assert.deepEqual(result.rows, [{ value }]);
    }
  });
});
