import assert from 'node:assert/strict';
import { engineWorld } from './engine-world.ts';
import type { EngineWorld } from './engine-world.ts';

describe('nested and long values in answers', function () {
  this.timeout(60_000);
  let world: EngineWorld;
  let one: string;
  before(async () => {
    world = await engineWorld();
    one = await world.table([{ id: 1 }]);
  });
  after(() => world.close());

  const rowsOf = async (sql: string, table = one) => (await world.engine.query(table, { sql, limit: 2_100 })).rows;
  const cell = async (expression: string): Promise<unknown> => (await rowsOf(`SELECT ${expression} AS v`))[0]?.['v'];
  const parsed = (text: string): unknown => JSON.parse(text);

  const nested: readonly (readonly [string, unknown])[] = [
    ["{'b': [1, 2], '1': 'x'}", { b: [1, 2], 1: 'x' }],
    ["[{'b': DATE '2026-02-07', '2': {'z': [1], '0': NULL}}]", [{ b: '2026-02-07', 2: { z: [1], 0: null } }]],
    ["MAP {'k': {'b': [1], '1': 'x'}}", { k: { b: [1], 1: 'x' } }],
    ["MAP {{'b': [1], '1': 'x'}: {'c': [2], '0': 'y'}}", [{ key: { b: [1], 1: 'x' }, value: { c: [2], 0: 'y' } }]],
    ["union_value(u := {'b': [1], '1': 'x'})", { b: [1], 1: 'x' }],
    ["[{'b': [1], '1': 'x'}, NULL]::STRUCT(b INTEGER[], \"1\" VARCHAR)[2]", [{ b: [1], 1: 'x' }, null]],
    ["{'__proto__': {'x': [1]}, 'A': [2]}", parsed('{"__proto__": {"x": [1]}, "A": [2]}')],
    ["{'__proto__': 7, 'constructor': [2]}", parsed('{"__proto__": 7, "constructor": [2]}')],
    ["{'a': {'__proto__': NULL}}", parsed('{"a": {"__proto__": null}}')],
    ['row(1, [2])', { 1: 1, 2: [2] }],
    ["row(row([1], 'x'), NULL)", { 1: { 1: [1], 2: 'x' }, 2: null }],
  ];
  for (const [expression, value] of nested) {
    it(`are what ${expression} says`, async () => {
      assert.deepEqual(await cell(expression), value);
    });
  }

  it('are those of the rows that were sent, in every row of many', async () => {
    const row = (index: number) => ({
      a: { 2: `x${index}`, b: [index, 2], 1: [{ z: index }] },
      o: parsed(`{"__proto__": {"x": [${index}]}, "A": [2]}`),
    });
    const rows = Array.from({ length: 2_100 }, (_, index) => row(index % 3));
    const table = await world.table(rows);
    const answer = await world.engine.query(table, { sql: 'SELECT a, o FROM t', limit: 2_100, maxBytes: 1_000_000 });
    assert.deepEqual(answer.rows, rows);
    assert.equal(answer.columns[0]?.type, 'STRUCT("1" STRUCT("z" BIGINT)[], "2" VARCHAR, "b" BIGINT[])');
  });

  it('keep the digits and the escapes of JSON', async () => {
    const json = String.raw`{"a\\": [1.5, "\\\"", "12345678901234567890", 12345678901234567890], "": "", "e": 1e400, "f": "\"1,"}`;
    assert.deepEqual(await cell(`'${json}'::JSON`), {
      'a\\': [1.5, '\\"', '12345678901234567890', '12345678901234567890'],
      '': '',
      e: '1e400',
      f: '"1,',
    });
    assert.deepEqual(await cell(`'"a"'::JSON`), 'a');
    assert.deepEqual(await cell(`'{"a'::VARCHAR`), '{"a');
  });

  for (const unit of ['x', 'é', String.raw`\n`, String.raw`\"`, String.raw`\\`]) {
    it(`are parsed as JSON, however long: millions of ${unit}`, async () => {
      const long = `CAST('"' || repeat('${unit}', 9000000) || '"' AS JSON)`;
      const shown = await cell(long);
      const begin = String(parsed(`"${unit.repeat(10)}"`));
      assert.equal(String(shown).slice(0, 10), begin.slice(0, 10));
      const inside = await cell(`CAST('{"a":["' || repeat('${unit}', 9000000) || '",12345678901234567890]}' AS JSON)`);
      assert.ok(typeof inside === 'object' && inside !== null && 'a' in inside && Array.isArray(inside.a));
      assert.equal(inside.a[1], '12345678901234567890');
    });
  }
});
