import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../src/kernel/errors.ts';
import { engineWorld, inBatches } from './engine-world.ts';
import type { EngineWorld } from './engine-world.ts';
import { BOMBS, HOSTILE } from './hostile-statements.ts';

describe('DuckDbDatasetEngine', function () {
  this.timeout(60_000);
  let world: EngineWorld;
  let small: string;
  before(async () => {
    world = await engineWorld();
    small = await world.table([
      { id: 1, text: 'one' },
      { id: 2, text: 'two' },
    ]);
  });
  after(() => world.close());

  const ask = (sql: string, table = small, limit = 100) => world.engine.query(table, { sql, limit });
  const cell = async (expression: string): Promise<unknown> => (await ask(`SELECT ${expression} AS v`)).rows[0]?.['v'];

  it('answers columns, rows and whether anything was cut', async () => {
    assert.deepEqual(await ask('SELECT id, text FROM t ORDER BY id DESC'), {
      columns: [
        { name: 'id', type: 'BIGINT' },
        { name: 'text', type: 'VARCHAR' },
      ],
      rows: [
        { id: 2, text: 'two' },
        { id: 1, text: 'one' },
      ],
      truncated: false,
    });
    assert.deepEqual(await ask('SELECT source_row FROM t', small, 1), {
      columns: [{ name: 'source_row', type: 'BIGINT' }],
      rows: [{ source_row: 1 }],
      truncated: true,
    });
    assert.deepEqual((await ask('SELECT id FROM t WHERE false')).rows, []);
  });

  it('takes comments, brackets, WITH, and a closing semicolon', async () => {
    for (const sql of [
      '/* a */ -- b\n (SELECT 1 AS v);',
      'with t2 as (select * from t) select count(*) as v from t2',
      'SELECT 1 AS v -- end',
    ]) {
      assert.ok([1, 2].includes(Number((await ask(sql)).rows[0]?.['v'])), sql);
    }
  });

  const values: readonly (readonly [string, unknown])[] = [
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', '9007199254740992'],
    ['-9007199254740993', '-9007199254740993'],
    ['12345678901234567890::UBIGINT', '12345678901234567890'],
    ['170141183460469231731687303715884105727::HUGEINT', '170141183460469231731687303715884105727'],
    ['(SELECT sum(x) FROM (VALUES (9223372036854775807), (1)) AS v(x))', '9223372036854775808'],
    ['1.50::DECIMAL(10,2)', 1.5],
    ['12345678901234567.89::DECIMAL(20,2)', '12345678901234567.89'],
    ["'nan'::DOUBLE", 'NaN'],
    ["'-infinity'::DOUBLE", '-Infinity'],
    ['0.1::DOUBLE', 0.1],
    ["TIMESTAMP '2026-02-07 01:02:03.123456'", '2026-02-07T01:02:03.123456'],
    ["TIMESTAMPTZ '2026-02-07 01:02:03.5+02'", '2026-02-06T23:02:03.5Z'],
    ["DATE '2026-02-07'", '2026-02-07'],
    ["TIME '01:02:03'", '01:02:03'],
    ["INTERVAL '1 day'", '1 day'],
    ["'infinity'::TIMESTAMP", 'infinity'],
    ["'\\x00\\xFF'::BLOB", 'AP8='],
    ['true', true],
    ['NULL', null],
    ['[1, 9007199254740993, NULL]', [1, '9007199254740993', null]],
    ["{'a': 1, 'b': {'c': [DATE '2026-02-07']}}", { a: 1, b: { c: ['2026-02-07'] } }],
    ["MAP {'k': 1}", { k: 1 }],
    ['MAP {1: 2}', [{ key: 1, value: 2 }]],
    [
      `'{"n": 12345678901234567890, "f": 1e999, "s": "12345678901234567890", "d": 0.1}'::JSON`,
      { n: '12345678901234567890', f: '1e999', s: '12345678901234567890', d: 0.1 },
    ],
    [`'{"__proto__": {"x": 1}}'::JSON`, JSON.parse('{"__proto__": {"x": 1}}')],
    ['union_value(n := 7)', 7],
    ["'550e8400-e29b-41d4-a716-446655440000'::UUID", '550e8400-e29b-41d4-a716-446655440000'],
  ];
  for (const [expression, value] of values) {
    it(`gives ${expression} as ${JSON.stringify(value)}`, async () => {
      assert.deepEqual(await cell(expression), value);
    });
  }

  it('numbers equal column names instead of losing one', async () => {
    assert.deepEqual((await ask('SELECT 1 AS a, 2 AS a, 3 AS a_1')).rows, [{ a: 1, a_1: 2, a_1_1: 3 }]);
  });

  it('cuts long text between characters and says so', async () => {
    for (const prefix of ['', 'a', 'ab', 'abc']) {
      const { rows, truncated } = await world.engine.query(small, {
        sql: `SELECT '${prefix}' || repeat('🎉', 1000) AS v`,
        limit: 1,
        maxTextLength: 600,
      });
      const text = String(rows[0]?.['v']);
      assert.ok(truncated);
      assert.ok(!/\p{Surrogate}/u.test(text));
      assert.ok(text.endsWith('…'));
      assert.ok(text.length >= 599 && text.length <= 601);
    }
  });

  it('keeps an answer within its bytes, also when one row alone is too much', async () => {
    const many = await ask("SELECT repeat('é', 2000) AS v FROM range(100)");
    assert.ok(many.truncated && many.rows.length > 5 && many.rows.length < 100);
    assert.ok(Buffer.byteLength(JSON.stringify(many.rows)) <= 48 * 1024);
    const wide = await ask(
      `SELECT ${Array.from({ length: 200 }, (_, index) => `repeat('x', 5000) AS c${index}`).join(', ')}`,
    );
    assert.ok(wide.truncated && wide.rows.length === 1);
    assert.ok(Buffer.byteLength(JSON.stringify(wide.rows)) <= 48 * 1024);
    const nested = await ask('SELECT range(100000) AS v');
    assert.equal(JSON.stringify(nested.rows).includes('more'), true);
    assert.ok(nested.truncated);
  });

  it('refuses hostile and broken statements without naming a path', async () => {
    const before = await readdir('/tmp');
    for (const sql of HOSTILE) {
      const error = await refusal(sql);
      assert.equal(error.code, 'query_invalid', sql);
      assert.ok(error.message.length > 0 && error.message.length <= 300, sql);
      assert.ok(!error.message.includes('\n'), sql);
      assert.ok(
        !error.message.includes(world.root) && !error.message.includes('/etc/') && !error.message.includes('.duckdb'),
        error.message,
      );
    }
    assert.ok(HOSTILE.length >= 60);
    const made = (await readdir('/tmp')).filter((name) => name.startsWith('hostile') && !before.includes(name));
    assert.deepEqual(made, []);
    assert.deepEqual((await ask('SELECT count(*) AS n FROM t')).rows, [{ n: 2 }]);
  });

  it('stops what would run for ever, and answers others meanwhile', async () => {
    const bounded = await engineWorld({ queryMs: 2_500, queryMemoryMb: 128 });
    try {
      const [theirs, mine] = ['them', 'us'].map((owner) => `datasets/${owner}/1.parquet`);
      assert.ok(theirs !== undefined && mine !== undefined);
      for (const key of [theirs, mine]) await bounded.engine.writeRows(key, inBatches([{ id: 1 }]));
      const left = [...BOMBS];
      const bomber = async (): Promise<void> => {
        for (let sql = left.shift(); sql !== undefined; sql = left.shift())
          await assertStopped(() => bounded.engine.query(theirs, { sql, limit: 1 }), sql);
      };
      const others = async (): Promise<void> => {
        while (left.length > 0) {
          const answer = await bounded.engine.query(mine, { sql: 'SELECT count(*) AS n FROM t', limit: 1 });
          assert.deepEqual(answer.rows, [{ n: 1 }]);
        }
      };
      await Promise.all([others(), bomber(), bomber()]);
    } finally {
      await bounded.close();
    }
  });

  it('answers a project while another asks for more than there are processes', async () => {
    const shared = await engineWorld({ queryMs: 60_000 });
    try {
      const [theirs, mine] = ['them', 'us'].map((owner) => `datasets/${owner}/1.parquet`);
      assert.ok(theirs !== undefined && mine !== undefined);
      for (const key of [theirs, mine]) await shared.engine.writeRows(key, inBatches([{ id: 1 }]));
      const caller = new AbortController();
      const endless = async (): Promise<string> => {
        const sql = 'SELECT sum(sin(range)) FROM range(1000000000000)';
        const answer = shared.engine.query(theirs, { sql, limit: 1, signal: caller.signal });
        return answer.then(
          () => 'answered',
          (error: Error) => error.message,
        );
      };
      const asked = Array.from({ length: 6 }, endless);
      for (let count = 0; count < 20; count += 1) {
        const { rows } = await shared.engine.query(mine, { sql: 'SELECT count(*) AS n FROM t', limit: 1 });
        assert.deepEqual(rows, [{ n: 1 }]);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      caller.abort(new Error('enough'));
      const ends = await Promise.all(asked);
      assert.ok(ends.includes('enough'), 'nobody waited for one of theirs to end');
      for (const end of ends) assert.match(end, /^enough$|^The query engine is busy/);
      const { rows } = await shared.engine.query(theirs, { sql: 'SELECT id FROM t', limit: 1 });
      assert.deepEqual(rows, [{ id: 1 }], 'who took much is answered too');
    } finally {
      await shared.close();
    }
  });

  it('stops a query whose caller goes away', async () => {
    const caller = new AbortController();
    const answer = world.engine.query(small, { sql: BOMBS[0] ?? '', limit: 1, signal: caller.signal });
    setTimeout(() => caller.abort(new Error('gone')), 100);
    await assert.rejects(answer, /gone/);
    assert.deepEqual(await cell('1'), 1);
  });

  it('infers types from the rows as DuckDB does and counts missing values', async () => {
    const written = await world.engine.writeRows(
      'tables/inferred.parquet',
      inBatches([
        { n: 1, day: '2026-01-02', mixed: 1, list: ['a'], nested: { x: 1.5 } },
        { n: 2, day: '2026-01-03', mixed: 'x', list: [], nested: null },
      ]),
    );
    assert.equal(written.rows, 2);
    assert.deepEqual(written.columns, [
      { name: 'n', type: 'BIGINT', nullRate: 0 },
      { name: 'day', type: 'DATE', nullRate: 0 },
      { name: 'mixed', type: 'JSON', nullRate: 0 },
      { name: 'list', type: 'VARCHAR[]', nullRate: 0 },
      { name: 'nested', type: 'STRUCT("x" DOUBLE)', nullRate: 0.5 },
    ]);
    assert.equal((await world.objects.stat('tables/inferred.parquet'))?.sizeBytes, written.sizeBytes);
  });

  it('keeps the digits of large integers and the halves of emoji on the way in', async () => {
    const table = await world.table(
      [
        {
          big: 12_345_678_901_234_567_890n,
          ok: 9_007_199_254_740_993n,
          json: { id: 12_345_678_901_234_567_890n },
          half: 'x\ud83c',
        },
      ],
      { big: 'VARCHAR', ok: 'BIGINT', json: 'JSON', half: 'VARCHAR' },
    );
    assert.deepEqual((await ask('SELECT big, ok, json, half FROM t', table)).rows, [
      { big: '12345678901234567890', ok: '9007199254740993', json: { id: '12345678901234567890' }, half: 'x\uFFFD' },
    ]);
  });

  it('writes what a SELECT answers as a new table, with its row identity', async () => {
    const source = await world.table([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const kept = await world.engine.writeSelect(
      source,
      'SELECT * FROM t WHERE n > 1; -- end'.replace(' -- end', ''),
      'tables/kept.parquet',
    );
    assert.equal(kept.rows, 2);
    assert.deepEqual((await ask('SELECT * FROM t', 'tables/kept.parquet')).rows, [
      { source_row: 2, n: 2 },
      { source_row: 3, n: 3 },
    ]);
    await world.engine.writeSelect(
      source,
      'SELECT sum(n) * 9000000000000000000 AS big, INTERVAL 1 DAY AS i FROM t',
      'tables/sum.parquet',
    );
    assert.deepEqual((await ask('SELECT * FROM t', 'tables/sum.parquet')).rows, [
      { source_row: 1, big: '54000000000000000000', i: '1 day' },
    ]);
    await assert.rejects(
      world.engine.writeSelect(source, "SELECT * FROM read_text('/etc/passwd')", 'tables/no.parquet'),
      { code: 'query_invalid' },
    );
    await assert.rejects(world.engine.writeSelect(source, "SELECT 1) TO '/tmp/hostile.csv' --", 'tables/no.parquet'), {
      code: 'query_invalid',
    });
    assert.equal(await world.objects.stat('tables/no.parquet'), undefined);
  });

  it('gives equal data equal fingerprints and different data different ones', async () => {
    const fingerprint = async (key: string, rows: readonly Record<string, unknown>[]) =>
      (await world.engine.writeRows(key, inBatches(rows))).fingerprint;
    const one = await fingerprint('f/1.parquet', [
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ]);
    assert.match(one, /^[0-9a-f]{64}$/);
    assert.equal(
      await fingerprint('f/2.parquet', [
        { a: 1, b: 'x' },
        { a: 2, b: 'y' },
      ]),
      one,
    );
    const others = [
      [
        { a: 2, b: 'y' },
        { a: 1, b: 'x' },
      ],
      [{ a: 1, b: 'x' }],
      [
        { a: 1, c: 'x' },
        { a: 2, c: 'y' },
      ],
      [
        { a: 1, b: 'x' },
        { a: 2, b: 'Y' },
      ],
    ];
    for (const [index, rows] of others.entries()) assert.notEqual(await fingerprint(`f/o${index}.parquet`, rows), one);
  });

  it('counts what rows come to, whatever type a column has', async () => {
    const turns = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: null, tool_calls: [{ id: '1' }] },
      { role: 'assistant', content: 'a', tool_calls: [{ id: '2' }] },
    ];
    const named = [{ type: 'function', function: { name: 'f' } }];
    const rows = [
      { input: 'größe', output: 'a', status: 'ok', expected_output: 'x', messages: turns, tools: named },
      { input: '\u00a0\n', output: 'bb', status: 'error', expected_output: 'x', messages: turns, tools: [] },
      { input: 'in', output: ' ', status: null, expected_output: ' ', messages: [turns[0]], tools: null },
      { input: 'in', output: null, status: 'error', expected_output: null, messages: [], tools: null },
      { input: 'in', output: null, status: 'ok', expected_output: 'x', messages: null, tools: [{ type: 'f' }] },
    ];
    const facts = {
      rows: 5,
      references: 3,
      hasOneReference: true,
      emptyInputs: { count: 1, examples: [2] },
      emptyOutputs: { count: 3, examples: [3, 4, 5] },
      failedTraces: { count: 2, examples: [2, 4] },
      inputCharacters: 13,
      outputCharacters: 4,
      longestCharacters: JSON.stringify(turns).length,
      repeated: { count: 1, examples: [2] },
      conversations: {
        failed: 3,
        failures: [
          { row: 3, reason: 'messages has no assistant turn' },
          { row: 4, reason: 'messages is not a list of turns' },
          { row: 5, reason: 'messages is not a list of turns' },
        ],
        callingRows: 2,
        multiTurnRows: 2,
      },
    };
    const text = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
    const asText = rows.map((row) => ({ ...row, messages: text(row.messages), tools: text(row.tools) }));
    const types = (json: string) =>
      Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, /^m|^t/.test(name) ? json : 'VARCHAR']));
    for (const type of ['JSON', 'VARCHAR']) {
      await world.engine.writeRows('tables/facts.parquet', inBatches(type === 'JSON' ? rows : asText), {
        columns: types(type),
      });
      const { repeated, ...counted } = await world.engine.measure('tables/facts.parquet');
      assert.deepEqual({ ...counted, repeated }, facts, type);
    }
  });

  it('takes rows for repeats of earlier ones by their content, not by their number', async () => {
    const table = await world.table(
      Array.from({ length: 30_000 }, (_, index) => ({ n: index % 29_980, x: [index < 0] })),
    );
    const { repeated, rows, conversations, emptyInputs } = await world.engine.measure(table);
    assert.deepEqual([rows, conversations, emptyInputs], [30_000, undefined, undefined]);
    assert.deepEqual(repeated, { count: 20, examples: Array.from({ length: 10 }, (_, index) => 29_981 + index) });
    const none = await world.engine.measure(
      await world.table([
        { input: null, output: 'a' },
        { input: null, output: 'b' },
      ]),
    );
    assert.equal(none.repeated.count, 0);
  });

  it('leaves nothing in its work folder, whether it succeeds or fails', async () => {
    await assert.rejects(world.engine.writeRows('tables/broken.parquet', failing()), /source lost/);
    assert.equal(await world.objects.stat('tables/broken.parquet'), undefined);
    const left = await readdir(path.join(world.root, 'work'));
    assert.deepEqual(left, []);
  });

  async function refusal(sql: string): Promise<AppError> {
    try {
      await ask(sql);
    } catch (error) {
      assert.ok(error instanceof AppError, `${sql}: ${String(error)}`);
      return error;
    }
    throw new Error(`The statement was answered: ${sql}`);
  }
});

/** Whoever has a statement running is told to come again with the next one, when it is long in coming. */
async function assertStopped(ask: () => Promise<unknown>, sql: string): Promise<void> {
  for (;;) {
    const error: unknown = await ask().then(
      () => assert.fail(sql),
      (fault: unknown) => fault,
    );
    assert.ok(error instanceof AppError, sql);
    if (error.code === 'unavailable') continue;
    assert.equal(error.code, 'query_invalid', sql);
    return;
  }
}

async function* failing(): AsyncIterable<readonly Record<string, unknown>[]> {
  yield Promise.resolve([{ a: 1 }]);
  throw new Error('source lost');
}
