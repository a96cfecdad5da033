import assert from 'node:assert/strict';
import { engineWorld } from './engine-world.ts';
import type { EngineWorld } from './engine-world.ts';

const TARGET = 'tables/made.parquet';

describe('the row identity of a statement', function () {
  this.timeout(60_000);
  let world: EngineWorld;
  let source: string;
  before(async () => {
    world = await engineWorld();
    source = await world.table([{ n: 3 }, { n: 1 }, { n: 2 }]);
  });
  after(() => world.close());

  const made = async (sql: string): Promise<readonly unknown[]> => {
    await world.engine.writeSelect(source, sql, TARGET);
    const { rows } = await world.engine.query(TARGET, { sql: 'SELECT * FROM t', limit: 100 });
    return rows.map((row) => row['source_row']);
  };

  it('stays with the rows, whatever their order and how few they are', async () => {
    assert.deepEqual(await made('SELECT * FROM t'), [1, 2, 3]);
    assert.deepEqual(await made('SELECT * FROM t ORDER BY n'), [2, 3, 1]);
    assert.deepEqual(await made('SELECT * FROM t ORDER BY source_row DESC LIMIT 2'), [3, 2]);
    assert.deepEqual(await made('SELECT * FROM t WHERE n < 3'), [2, 3]);
    assert.deepEqual(await made('SELECT * FROM t WHERE false'), []);
    assert.deepEqual(await made('SELECT n, source_row::UTINYINT AS "Source_Row" FROM t'), [1, 2, 3]);
    assert.deepEqual(await made('SELECT source_row::HUGEINT AS source_row, n FROM t'), [1, 2, 3]);
    assert.deepEqual(await made('SELECT 9007199254740991 AS source_row, 1 AS n'), [9_007_199_254_740_991]);
    assert.deepEqual(await made('SELECT n FROM t UNION ALL SELECT n FROM t'), [1, 2, 3, 4, 5, 6]);
  });

  const wrong: readonly (readonly [string, RegExp])[] = [
    ['SELECT -source_row AS source_row, n FROM t', /not between 1 and 9007199254740991/],
    ['SELECT source_row - 1 AS source_row, n FROM t', /not between 1/],
    ['SELECT 9007199254740992 AS source_row, 1 AS n', /not between 1/],
    ['SELECT 4611686018427387905 AS source_row, n FROM t', /not between 1/],
    ['SELECT 18446744073709551615::UBIGINT AS source_row, 1 AS n', /missing or too large/],
    ['SELECT 170141183460469231731687303715884105727 AS source_row, 1 AS n', /missing or too large/],
    ['SELECT NULL::BIGINT AS source_row, n FROM t', /missing or too large/],
    ['SELECT NULL AS source_row, n FROM t', /missing or too large/],
    ['SELECT nullif(source_row, 2) AS source_row, n FROM t', /missing or too large/],
    ['SELECT 1.5 AS source_row, n FROM t', /is of type DECIMAL/],
    ['SELECT source_row::DOUBLE AS source_row, n FROM t', /is of type DOUBLE/],
    ["SELECT source_row || 'a' AS source_row, n FROM t", /is of type VARCHAR/],
    ['SELECT [source_row] AS source_row, n FROM t', /is of type BIGINT\[\]/],
    ['SELECT 1 AS source_row, n FROM t', /is 1 in more than one row/],
    ['SELECT * FROM t UNION ALL SELECT * FROM t', /is [123] in more than one row/],
    ['SELECT source_row, unnest([n, n]) AS n FROM t ORDER BY n', /in more than one row/],
    ['SELECT CASE WHEN n = 2 THEN 1 ELSE source_row END AS source_row, n FROM t', /is 1 in more than one row/],
  ];
  for (const [sql, fault] of wrong) {
    it(`is refused when it tells no rows apart: ${sql}`, async () => {
      await world.objects.delete(TARGET);
      await assert.rejects(made(sql), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'query_invalid', error.message);
        assert.match(error.message, fault);
        assert.match(error.message, /Leave source_row out and the rows are numbered anew\.$/);
        return true;
      });
      assert.equal(await world.objects.stat(TARGET), undefined);
    });
  }

  it('may be in any order, also among many rows', async () => {
    const many = 'SELECT i AS source_row, i % 10 AS n FROM range(1, 300001) AS r(i)';
    const shuffled = `${many} ORDER BY hash(i)`;
    assert.equal((await world.engine.writeSelect(source, shuffled, TARGET)).rows, 300_000);
    const repeated = `(${many} LIMIT 299999) UNION ALL SELECT 77, 1`;
    await assert.rejects(world.engine.writeSelect(source, repeated, TARGET), /is 77 in more than one row/);
  });
});
