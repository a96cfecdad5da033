import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { AppError } from '../../src/kernel/errors.ts';
import { randomFrom } from '../support/random.ts';
import { engineWorld, type EngineWorld } from './engine-world.ts';

/** `HOSTILE_FILES=1000` makes a long run of it. */
const FILES = Number(process.env['HOSTILE_FILES'] ?? 8);
const SEED = Number(process.env['HOSTILE_SEED'] ?? 7);
const FOOTER_LENGTH_BYTES = 8;

describe('Parquet that is wrong inside', function () {
  this.timeout(60_000 + FILES * 2_000);
  let world: EngineWorld;
  let folder: string;
  before(async () => {
    world = await engineWorld();
    folder = await mkdtemp(path.join(tmpdir(), 'parquet-'));
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  let keys = 0;
  const write = async (content: Uint8Array) => {
    const key = `parquet/${(keys += 1)}.parquet`;
    const file = {
      format: 'parquet' as const,
      async *content() {
        yield Promise.resolve(content);
      },
    };
    return { key, table: await world.engine.writeFiles(key, [file]) };
  };
  const refused = async (content: Uint8Array): Promise<string | undefined> => {
    try {
      await write(content);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'dataset_invalid', String(error));
      assert.doesNotMatch(error.message, /\/|<path>/, error.message);
      return error.message;
    }
  };
  /** A file as another program would write it, with nothing packed, so that its bytes can be told. */
  const parquetOf = async (select: string): Promise<Buffer> => {
    const file = path.join(folder, 'made.parquet');
    const database = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await database.connect();
    await connection.run(`COPY (${select}) TO '${file}' (FORMAT parquet, COMPRESSION uncompressed)`);
    connection.closeSync();
    database.closeSync();
    return readFile(file);
  };

  it('is refused for text that is no UTF-8, for the reserved name and for a hole in it, not for want of a name', async () => {
    const good = await parquetOf(`SELECT 'abcdefgh' AS text, i AS n FROM range(100) AS r(i)`);
    assert.equal((await write(good)).table.rows, 100);
    const text = Buffer.from(good);
    for (let at = text.indexOf('abcdefgh'); at !== -1; at = text.indexOf('abcdefgh', at)) text.fill(0xff, at, at + 8);
    assert.match((await refused(text)) ?? '', /not what \.parquet says.*UTF-?8/i);
    const nameless = withoutName(await parquetOf('SELECT 1 AS qqqqqqqq, 2 AS b'), 'qqqqqqqq');
    assert.deepEqual(
      (await write(nameless)).table.columns.map(({ name }) => name),
      ['C0', 'b'],
    );
    const reserved = await parquetOf('SELECT 1 AS a, 2 AS "SOURCE_ROW"');
    assert.match((await refused(reserved)) ?? '', /source_row is reserved/);
    assert.match((await refused(good.subarray(0, good.length - 20))) ?? '', /not what \.parquet says/);
    assert.match((await refused(Buffer.concat([good.subarray(0, 40), good.subarray(90)]))) ?? '', /not what \.parquet/);
    const longer = Buffer.from(good);
    longer.writeUInt32LE(0x7fffffff, good.length - FOOTER_LENGTH_BYTES);
    assert.match((await refused(longer)) ?? '', /not what \.parquet says/);
  });

  it('keeps types that no other format has, and hands them out again', async () => {
    const { key, table } = await write(
      await parquetOf(`SELECT 'a\\x00b'::BLOB AS bytes, MAP {'k': [1, NULL]} AS map, {'x': {'y': DATE '2026-01-02'}} AS deep,
        [1, 2]::INTEGER[2] AS pair, 12345678901234567890123456789012345678::DECIMAL(38,0) - 12345678901234567890123456789012345677 AS n,
        TIMESTAMPTZ '2026-01-02 03:04:05+00' AS moment, '550e8400-e29b-41d4-a716-446655440000'::UUID AS id, 'NaN'::FLOAT AS none,
        18446744073709551615::UBIGINT AS large`),
    );
    assert.equal(table.rows, 1);
    const { rows } = await world.engine.query(key, { sql: 'SELECT * EXCLUDE (source_row) FROM t', limit: 1 });
    assert.deepEqual(rows, [
      {
        bytes: Buffer.from('a\0b').toString('base64'),
        map: { k: [1, null] },
        deep: { x: { y: '2026-01-02' } },
        pair: [1, 2],
        n: 1,
        moment: '2026-01-02T03:04:05Z',
        id: '550e8400-e29b-41d4-a716-446655440000',
        none: 'NaN',
        large: '18446744073709551615',
      },
    ]);
    assert.equal((await world.engine.measure(key)).rows, 1);
    for (const format of ['jsonl', 'csv', 'parquet'] as const) await (await world.engine.export(key, format)).release();
  });

  it(`is landed or refused, and never stops the engine, whichever bytes are wrong (${FILES} files)`, async () => {
    const good = await parquetOf(
      `SELECT i AS id, 'text ' || i AS name, [i, i + 1] AS list, {'x': i, 'y': 'q'} AS deep, i * 1.5 AS d FROM range(500) AS r(i)`,
    );
    const footer = good.readUInt32LE(good.length - FOOTER_LENGTH_BYTES);
    const chance = randomFrom(SEED);
    const below = (limit: number): number => chance.whole(0, limit - 1);
    let refusals = 0;
    for (let file = 0; file < FILES; file += 1) {
      const bad = Buffer.from(good);
      for (let flip = below(3); flip >= 0; flip -= 1) {
        const inFooter = below(2) === 0;
        bad[inFooter ? good.length - FOOTER_LENGTH_BYTES - 1 - below(footer) : below(good.length)] = below(256);
      }
      if ((await refused(bad)) !== undefined) refusals += 1;
    }
    assert.ok(FILES < 24 || refusals > 0, 'no file was wrong enough');
    assert.equal((await write(good)).table.rows, 500);
  });
});

/** The same file with an empty name for that column, which DuckDB itself would not write. */
function withoutName(file: Buffer, name: string): Buffer {
  const end = file.length - FOOTER_LENGTH_BYTES;
  const start = end - file.readUInt32LE(end);
  const footer = file
    .subarray(start, end)
    .toString('latin1')
    .replaceAll(`${String.fromCharCode(name.length)}${name}`, '\0');
  const tail = Buffer.from(file.subarray(end));
  tail.writeUInt32LE(footer.length);
  return Buffer.concat([file.subarray(0, start), Buffer.from(footer, 'latin1'), tail]);
}
