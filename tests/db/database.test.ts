import assert from 'node:assert/strict';
import { inTransaction, instantText, isStorable, jsonb, jsonText, likeText, type Db } from '../../src/db/database.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { emptyDatabase, openHandle, testAddress, testDatabase } from '../support/boot.ts';
import { eventually } from '../support/eventually.ts';

async function value(db: Db, sql: string, bindings: readonly (string | number)[] = []): Promise<unknown> {
  const result = await db.raw<{ rows: { value: unknown }[] }>(sql, [...bindings]);
  return result.rows[0]?.value;
}

describe('jsonb', () => {
  it('gives back every kind of JSON value as it was stored', async () => {
    const db = await testDatabase();
    for (const stored of [[], ['a', 'b'], {}, { tags: [] }, [[1, [2]]], 'text', 1.5, true, null]) {
      const result = await db.raw<{ rows: { value: unknown }[] }>('select ? as value', [jsonb(db, stored)]);
      assert.deepEqual(result.rows, [{ value: stored }]);
    }
  });

  it('refuses U+0000 and half a surrogate pair with the path of the value', () => {
    for (const [stored, field] of [
      [{ attributes: { a: ['fine', 'a\u0000b'] } }, '/attributes/a/1'],
      [{ attributes: { 'k\u0000': 1 } }, '/attributes'],
      ['\ud800', ''],
    ] as const) {
      assert.throws(
        () => jsonText(stored),
        (error) => error instanceof AppError && error.code === 'invalid_input' && error.fields['field'] === field,
      );
    }
  });

  it('stores text that only looks like an escape of such a character', async () => {
    const db = await testDatabase();
    const stored = { text: '\\u0000 and \\ud800', emoji: '😀' };
    const result = await db.raw<{ rows: { value: unknown }[] }>('select ? as value', [jsonb(db, stored)]);
    assert.deepEqual(result.rows, [{ value: stored }]);
    assert.ok(isStorable('😀') && !isStorable('\udc00') && !isStorable('\u0000'));
  });

  it('keeps the digits of integers beyond 2^53 as text, and of nothing else', async () => {
    const db = await testDatabase();
    const text =
      '{"id": 12345678901234567890, "n": -9007199254740993, "safe": 9007199254740991, "f": 1234567890123456789.5, "third": 0.33333333333333337, "e": 12345678901234567890e2, "s": "x 12345678901234567890 \\" 99999999999999999999"}';
    assert.deepEqual(await value(db, 'select ?::jsonb as value', [text]), {
      id: '12345678901234567890',
      n: '-9007199254740993',
      third: 0.33333333333333337,
      safe: 9007199254740991,
      f: Number('1234567890123456789.5'),
      // jsonb keeps numbers as numeric, which writes the exponent out.
      e: '1234567890123456789000',
      s: 'x 12345678901234567890 " 99999999999999999999',
    });
  });
});

describe('column values', () => {
  it('are numbers for counts and sums, and text once a number would lose digits', async () => {
    const db = await testDatabase();
    assert.equal(await value(db, 'select count(*) as value from (values (1), (2)) as two (n)'), 2);
    assert.equal(await value(db, 'select sum(n) as value from (values (1::bigint), (2)) as two (n)'), 3);
    assert.equal(await value(db, 'select 9007199254740993::bigint as value'), '9007199254740993');
    assert.equal(await value(db, 'select 0.10::numeric as value'), '0.10');
  });

  it('are the day itself for dates, in whatever time zone the process runs', async () => {
    const db = await testDatabase();
    const before = process.env['TZ'];
    try {
      for (const zone of ['America/Los_Angeles', 'Pacific/Auckland']) {
        process.env['TZ'] = zone;
        assert.equal(await value(db, `select date '2026-11-30' as value`), '2026-11-30');
        const instant = await value(db, `select timestamptz '2026-11-30T23:30:00+13:00' as value`);
        assert.ok(instant instanceof Date && instant.toISOString() === '2026-11-30T10:30:00.000Z');
        assert.equal(await value(db, `select current_setting('TimeZone') as value`), 'UTC');
      }
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it('page to the end by instants that differ in microseconds only', async () => {
    const db = await testDatabase();
    await db.raw('drop table if exists moments');
    await db.raw('create table moments (id integer primary key, at timestamptz not null)');
    for (let id = 101; id <= 105; id += 1) {
      await db.raw('insert into moments values (?, ?::timestamptz)', [id, `2026-03-01T00:00:00.000${id}Z`]);
    }
    const pages: number[][] = [];
    let after: { at: string; id: number } | undefined;
    do {
      const result: { rows: { id: number; at: string }[] } = await db.raw(
        `select id, ${instantText('at')} as at from moments
         where :id::int is null or (at, id) > (:at::timestamptz, :id) order by moments.at, id limit 2`,
        { id: after?.id ?? null, at: after?.at ?? null },
      );
      if (result.rows.length > 0) pages.push(result.rows.map((row) => row.id));
      after = result.rows.length === 2 ? result.rows.at(-1) : undefined;
    } while (after !== undefined && pages.length < 10);
    assert.deepEqual(pages, [[101, 102], [103, 104], [105]]);
    await db.raw('drop table moments');
  });

  it('match a search text literally', async () => {
    const db = await testDatabase();
    for (const [text, hits] of [
      ['run_1', ['run_1']],
      ['15%', ['15%']],
      ['a\\b', ['a\\b']],
    ] as const) {
      const result = await db.raw<{ rows: { name: string }[] }>(
        `select name from (values ('run_1'), ('runA1'), ('15%'), ('150'), ('a\\b'), ('ab')) as named (name)
         where name like '%' || ?::text || '%' escape '\\'`,
        [likeText(text)],
      );
      assert.deepEqual(
        result.rows.map((row) => row.name),
        hits,
      );
    }
  });
});

describe('transactions', () => {
  it('refuse the root handle inside, whatever it is asked for, and are usable after it', async () => {
    const db = await testDatabase();
    await db.transaction(async (tx) => {
      await assert.rejects(async () => db.raw('select 1'), /inside an open transaction/);
      await assert.rejects(async () => db('jobs').select('id'), /inside an open transaction/);
      await assert.rejects(
        db.transaction(async (other) => other.raw('select 1')),
        /inside an open transaction/,
      );
      await tx.transaction(async (nested) => nested.raw('select 1'));
      await tx.raw('select 1');
    });
    await db.raw('select 1');
  });

  it('refuse another root handle just the same', async () => {
    const db = await testDatabase();
    const other = openHandle(await testAddress());
    await db.transaction(async () => {
      await assert.rejects(async () => other.raw('select 1'), /inside an open transaction/);
    });
  });

  it('are joined, not nested, by work that is given one', async () => {
    const db = await testDatabase();
    const ids = await inTransaction(db, async (outer) => {
      const id = async (tx: Db): Promise<unknown> => value(tx, 'select pg_current_xact_id()::text as value');
      return [await id(outer), await inTransaction(outer, id)];
    });
    assert.equal(ids[0], ids[1]);
  });

  it('all end soon when more of them write at once than the pool has connections', async () => {
    const db = openHandle(await testAddress(), { poolMax: 3 });
    await db.raw('create table if not exists writes (n integer not null)');
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        db.transaction(async (tx) => {
          await tx.raw('insert into writes values (?)', [n]);
          await tx.raw('select pg_sleep(0.02)');
        }),
      ),
    );
    assert.equal(await value(db, 'select count(*) as value from writes'), 10);
    assert.ok(performance.now() - startedAt < 2_000);
  });

  it('answer unavailable within three seconds when no connection comes free', async () => {
    const db = openHandle(await testAddress(), { poolMax: 1 });
    const holding = db.raw('select pg_sleep(3.5)');
    // knex starts a query when it is awaited.
    const held = holding.then(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const startedAt = performance.now();
    await assert.rejects(
      async () => db.raw('select 1'),
      (error) => error instanceof AppError && error.code === 'unavailable' && !error.message.includes('select'),
    );
    const waited = performance.now() - startedAt;
    assert.ok(waited > 1_500 && waited < 3_000, `waited ${waited} ms`);
    await held;
  });
});

describe('errors of the database', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['22021', `select ?::text as value`, 'invalid_input'],
    ['57014', `select pg_sleep(5)`, 'unavailable'],
    ['40001', `do $$ begin raise sqlstate '40001'; end $$`, 'unavailable'],
    ['53300', `do $$ begin raise sqlstate '53300'; end $$`, 'unavailable'],
  ];

  for (const [state, sql, code] of cases) {
    it(`leave as ${code} for ${state}, without the statement`, async () => {
      const db = openHandle(await testAddress(), { statementTimeoutMs: 100 });
      await assert.rejects(
        async () => db.raw(sql, sql.includes('::text') ? ['a\u0000b'] : []),
        (error) => error instanceof AppError && error.code === code && !/select|raise|\$\d|\.ts:\d/.test(error.message),
      );
    });
  }

  it('keep what a repository needs, and no bound value, when they are for it to translate', async () => {
    const db = await testDatabase();
    await db.raw('create table if not exists named (name text constraint named_once primary key)');
    await db.raw('insert into named values (?) on conflict do nothing', ['the secret name']);
    await assert.rejects(
      async () => db.raw('insert into named values (?)', ['the secret name']),
      (error) =>
        error instanceof Error &&
        !(error instanceof AppError) &&
        'constraint' in error &&
        error.constraint === 'named_once' &&
        !error.message.includes('the secret name'),
    );
  });
});

describe('a pool whose connections the server ends', () => {
  it('answers unavailable for what was running and works again for what comes next', async () => {
    const address = await emptyDatabase();
    const db = openHandle(address, { poolMax: 25 });
    const admin = openHandle(address);
    await Promise.all(Array.from({ length: 25 }, async () => db.raw('select pg_sleep(0.05)')));
    const running = Array.from({ length: 20 }, async () => db.raw('select pg_sleep(2)'));
    const outcomes = Promise.allSettled(running);
    await eventually(async () => {
      const busy = await value(
        admin,
        `select count(*) as value from pg_stat_activity where datname = current_database() and query like '%pg_sleep(2)%'
           and state = 'active' and pid <> pg_backend_pid()`,
      );
      assert.equal(busy, 20);
    });
    await admin.raw(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
    for (const outcome of await outcomes) {
      assert.equal(outcome.status, 'rejected');
      assert.ok(outcome.reason instanceof AppError && outcome.reason.code === 'unavailable');
    }
    assert.equal(await value(db, 'select 1 as value'), 1);
    await Promise.all(Array.from({ length: 25 }, async () => db.raw('select 1')));
  });
});
