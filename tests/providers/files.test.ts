import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { ExportFormat, FileFormat, SourceFile } from '../../src/domain/datasets/index.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { eventually } from '../support/eventually.ts';
import { engineWorld, type EngineWorld } from './engine-world.ts';

type Content = string | Uint8Array;

/** In small pieces, so that nothing may depend on where a piece ends. */
function file(format: FileFormat, content: Content, pieces = 7): SourceFile {
  const bytes = Buffer.from(content);
  return {
    format,
    async *content() {
      for (let start = 0; start < bytes.length; start += pieces) yield bytes.subarray(start, start + pieces);
    },
  };
}

let world: EngineWorld;
let keys = 0;

async function written(...files: readonly SourceFile[]) {
  const key = `files/${(keys += 1)}.parquet`;
  const table = await world.engine.writeFiles(key, files);
  return { key, table, columns: table.columns.map(({ name, type }) => `${name} ${type}`) };
}

async function rowsOf(key: string): Promise<readonly unknown[]> {
  const { rows } = await world.engine.query(key, { sql: 'SELECT * FROM t ORDER BY source_row', limit: 50 });
  return rows;
}

async function exported(key: string, format: ExportFormat): Promise<Buffer> {
  const made = await world.engine.export(key, format);
  const parts: Buffer[] = [];
  for await (const part of made.read()) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  assert.equal(bytes.length, made.sizeBytes);
  assert.equal(createHash('sha256').update(bytes).digest('hex'), made.sha256);
  return bytes;
}

describe('Files of datasets', function () {
  this.timeout(60_000);
  before(async () => {
    world = await engineWorld();
  });
  after(() => world.close());

  describe('Files as rows', () => {
    it('have the types the engine infers over all rows', async () => {
      const csv = `id,when,price,note\n${'1,2026-01-01,1.5,a\n'.repeat(30)}9007199254740993,2026-01-02,2,"x, ""y""\nz"\n`;
      const { key, table, columns } = await written(file('csv', csv, 999));
      assert.deepEqual(columns, ['id BIGINT', 'when DATE', 'price DOUBLE', 'note VARCHAR']);
      assert.equal(table.rows, 31);
      assert.deepEqual((await rowsOf(key)).at(-1), {
        source_row: 31,
        id: '9007199254740993',
        when: '2026-01-02',
        price: 2,
        note: 'x, "y"\nz',
      });
      const late = await written(file('csv', `a\n${'1\n'.repeat(25_000)}hello\n`, 4_096));
      assert.deepEqual(late.columns, ['a VARCHAR']);
    });

    const SAME: readonly (readonly [string, FileFormat, Content])[] = [
      ['comma', 'csv', 'a,b\n1,x\n2,y\n'],
      ['semicolon', 'csv', 'a;b\r\n1;x\r\n2;y\r\n'],
      ['tab', 'tsv', 'a\tb\n1\tx\n2\ty'],
      ['byte order mark', 'csv', '\ufeffa,b\n1,x\n2,y\n'],
      ['UTF-16', 'csv', Buffer.from('\ufeffa,b\n1,x\n2,y\n', 'utf16le')],
      ['lines', 'jsonl', '{"a":1,"b":"x"}\n\n{"a":2,"b":"y"}'],
      ['array', 'json', '[{"a":1,"b":"x"},{"a":2,"b":"y"}]'],
      ['lines called json', 'json', '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n'],
      ['JSON in UTF-16', 'jsonl', Buffer.from('\ufeff{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n', 'utf16le').swap16()],
    ];
    for (const [name, format, content] of SAME) {
      it(`are the same rows: ${name}`, async () => {
        const { key, columns } = await written(file(format, content));
        assert.deepEqual(columns, ['a BIGINT', 'b VARCHAR']);
        assert.deepEqual(await rowsOf(key), [
          { source_row: 1, a: 1, b: 'x' },
          { source_row: 2, a: 2, b: 'y' },
        ]);
      });
    }

    it('come together from several files, in order, with the columns of all', async () => {
      const parquet = await exported((await written(file('jsonl', '{"b":"p","c":[1,2]}\n'))).key, 'parquet');
      const { key } = await written(file('csv', 'a,b\n1,x\n'), file('jsonl', '{"b":"y"}\n'), file('parquet', parquet));
      assert.deepEqual(await rowsOf(key), [
        { source_row: 1, a: 1, b: 'x', c: null },
        { source_row: 2, a: null, b: 'y', c: null },
        { source_row: 3, a: null, b: 'p', c: [1, 2] },
      ]);
    });

    it('keep mixed and nested values, however deep', async () => {
      const deep = `${'['.repeat(400)}1${']'.repeat(400)}`;
      const { table } = await written(
        file('jsonl', `{"a":1,"d":${deep}}\n{"a":"x","d":[]}\n{"b":{"c":[{"e":null}]}}\n`),
      );
      assert.equal(table.rows, 3);
      const long = 'x'.repeat(3_000_000);
      assert.equal((await written(file('csv', `a,b\n"${long}",1\n`, 65_536))).table.rows, 1);
    });

    it('keep every digit of whole numbers, in pieces of any size', async () => {
      const text = [
        '{"n":123456789012345678901234567890,"s":"12345678901234567890123 \\"\\\\","l":[-99999999999999999999,1]}',
        '{"n":7,"s":"\\\\","l":[0.1234567890123456789012,1e25,"x"]}',
        '{"n":18446744073709551615,"s":"a:123456789012345678901234567890,","l":[]}',
      ].join('\n');
      for (const pieces of [1, 2, 3, 7, 64, 4_096]) {
        const { key } = await written(file('jsonl', text, pieces));
        assert.deepEqual(await rowsOf(key), [
          {
            source_row: 1,
            n: '123456789012345678901234567890',
            s: '12345678901234567890123 "\\',
            l: ['-99999999999999999999', 1],
          },
          { source_row: 2, n: 7, s: '\\', l: [0.12345678901234568, 1e25, 'x'] },
          { source_row: 3, n: '18446744073709551615', s: 'a:123456789012345678901234567890,', l: [] },
        ]);
      }
      const unsigned = await written(file('json', '[{"n":18446744073709551615},{"n":-9223372036854775808}]'));
      assert.deepEqual(unsigned.columns, ['n DECIMAL(38,0)']);
      assert.deepEqual(await rowsOf(unsigned.key), [
        { source_row: 1, n: '18446744073709551615' },
        { source_row: 2, n: '-9223372036854775808' },
      ]);
    });

    const WRONG: readonly (readonly [string, FileFormat, Content, RegExp])[] = [
      ['nothing', 'csv', '', /empty/],
      ['an empty JSON file', 'jsonl', '\n', /JSON object/],
      ['another number of fields', 'csv', 'a,b\n1,2\n3\n4,5,6\n', /number of fields/],
      ['an open quote', 'csv', 'a,b\n1,"unclosed\n2,3\n', /quote is not closed/],
      ['other bytes than UTF-8', 'csv', Buffer.from([0x61, 0x0a, 0xe9, 0xff, 0x0a]), /UTF-8/],
      ['U+0000', 'csv', 'a,b\n1,x\0y\n', /U\+0000/],
      ['U+0000 as an escape', 'jsonl', '{"a":"x\\u0000y"}\n', /U\+0000/],
      ['half of a pair', 'jsonl', '{"a":"\\ud800"}\n', /surrogate/],
      ['an end in the middle', 'jsonl', '{"a":1}\n{"a":', /unexpected end/],
      ['the same key twice', 'jsonl', '{"a":1,"a":2}\n', /duplicate key/],
      ['values that are no rows', 'jsonl', '1\n2\n', /JSON object/],
      ['the reserved name', 'jsonl', '{"source_row":2}\n', /reserved/],
      ['the reserved name in capitals', 'csv', 'Source_Row,b\n1,2\n', /reserved/],
      ['no Parquet', 'parquet', 'PAR1 this is not what it says PAR1', /Footer|Parquet|parquet/],
      ['cut Parquet', 'parquet', 'PAR1', /Parquet|parquet/],
      ['text called Parquet', 'parquet', '{"a":1}\n'.repeat(20), /Parquet|parquet|magic/],
    ];
    for (const [name, format, content, message] of WRONG) {
      it(`are refused with what is wrong: ${name}`, async () => {
        const error: unknown = await written(file(format, content)).then(
          () => assert.fail('must be refused'),
          (fault: unknown) => fault,
        );
        assert.ok(error instanceof AppError, String(error));
        assert.equal(error.code, 'dataset_invalid', error.message);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\/|\\work|\.data|engine-world/, error.message);
      });
    }
  });

  describe('Rows as files', () => {
    it('hold the same rows again, whatever the format', async () => {
      const text = [
        '{"id":9007199254740993,"name":"a \\"b\\", c\\nd","tags":["x","y"],"deep":{"k":[1,null]},"none":null}',
        '{"id":2,"name":"","tags":[],"deep":null,"none":"here"}',
      ].join('\n');
      const source = await written(file('jsonl', text));
      const lines = (await exported(source.key, 'jsonl')).toString('utf8');
      assert.deepEqual(lines.trimEnd().split('\n'), [
        '{"id":9007199254740993,"name":"a \\"b\\", c\\nd","tags":["x","y"],"deep":{"k":[1,null]},"none":null}',
        '{"id":2,"name":"","tags":[],"deep":null,"none":"here"}',
      ]);
      for (const format of ['jsonl', 'parquet'] as const) {
        const again = await written(file(format, await exported(source.key, format), 4_096));
        assert.equal(again.table.fingerprint, source.table.fingerprint, format);
      }
      const csv = (await exported(source.key, 'csv')).toString('utf8');
      assert.equal(csv.split('\n')[0], 'id,name,tags,deep,none');
      assert.ok(csv.includes('9007199254740993,"a ""b"", c\nd","[""x"",""y""]","{""k"":[1,null]}",'), csv);
    });

    it('write numbers that are none as text, so that the JSON can be read', async () => {
      const source = await written(file('csv', 'a\nnan\ninf\n1.5\n'));
      assert.deepEqual(source.columns, ['a DOUBLE']);
      const lines = (await exported(source.key, 'jsonl')).toString('utf8').trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        [{ a: 'NaN' }, { a: 'Infinity' }, { a: 1.5 }],
      );
    });

    it('write numbers that are none as text inside nested values too', async () => {
      const source = await written(
        file(
          'jsonl',
          '{"a":[NaN,1.5],"b":{"c":-Infinity,"s":"NaN, Infinity \\"NaN\\""},"m":{"x":NaN}}\n{"a":[],"b":null,"m":"Infinity"}\n',
        ),
      );
      const rows = [
        { a: ['NaN', 1.5], b: { c: '-Infinity', s: 'NaN, Infinity "NaN"' }, m: { x: 'NaN' } },
        { a: [], b: null, m: 'Infinity' },
      ];
      const answered = await rowsOf(source.key);
      assert.deepEqual(
        answered,
        rows.map((row, index) => ({ source_row: index + 1, ...row })),
      );
      const lines = (await exported(source.key, 'jsonl')).toString('utf8').trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        rows,
      );
      const csv = (await exported(source.key, 'csv')).toString('utf8');
      assert.ok(csv.includes('"[""NaN"",1.5]"') && csv.includes('{""x"":""NaN""}'), csv);
    });

    it('leave nothing behind, read or given up', async () => {
      const { key } = await written(file('csv', 'a\n1\n'));
      await (await world.engine.export(key, 'csv')).release();
      (await world.engine.export(key, 'csv')).read().destroy();
      await eventually(async () => assert.deepEqual(await readdir(path.join(world.root, 'work')), []));
    });
  });
});
