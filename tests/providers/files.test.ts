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

/** The files must be refused, in words that name no path and no setting of the engine. */
async function refused(files: readonly SourceFile[], message: RegExp | string): Promise<void> {
  const error: unknown = await written(...files).then(
    ({ columns }) => assert.fail(`must be refused, and has ${columns.join()}`),
    (fault: unknown) => fault,
  );
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, 'dataset_invalid', error.message);
  if (typeof message === 'string') assert.equal(error.message, message);
  else assert.match(error.message, message);
  assert.doesNotMatch(error.message, /\/|<path>|\bTry\b|ignore_errors|sample_size|Error:/, error.message);
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
      ['empty lines first', 'csv', '\n\na,b\n1,x\n2,y\n'],
      ['carriage returns alone', 'csv', 'a,b\r1,x\r2,y\r'],
      ['UTF-16, the other way round', 'tsv', Buffer.from('\ufeffa\tb\n1\tx\n2\ty\n', 'utf16le').swap16()],
      ['spaces around', 'json', '\n [ {"a": 1, "b": "x"},\n\n {"b": "y", "a": 2} ]\n'],
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

    it('know a byte order mark that comes in two pieces', async () => {
      const { key } = await written(file('csv', Buffer.from('\ufeffa\n1\n', 'utf16le'), 1));
      assert.deepEqual(await rowsOf(key), [{ source_row: 1, a: 1 }]);
    });

    it('have as many columns as their rows have names, also when hardly two rows share one', async () => {
      const sparse = await written(
        file('jsonl', Array.from({ length: 300 }, (_, row) => `{"c${row}":${row}}`).join('\n')),
      );
      assert.equal(sparse.columns.length, 300);
      const { rows } = await world.engine.query(sparse.key, {
        sql: 'SELECT c0, c299 FROM t WHERE c299 = 299',
        limit: 2,
      });
      assert.deepEqual(rows, [{ c0: null, c299: 299 }]);
    });

    it('keep names that are empty, odd, repeated or that only case tells apart', async () => {
      const csv = await written(file('csv', 'a,,"x ""y"", z",a,A\n1,2,3,4,5\n'));
      assert.deepEqual(csv.columns, ['a BIGINT', 'column1 BIGINT', 'x "y", z BIGINT', 'a_1 BIGINT', 'A_2 BIGINT']);
      const json = await written(file('jsonl', '{"":1,"b\\n\'":2}\n{"B\\n\'":3,"select":4}\n'));
      assert.deepEqual(json.columns, ['C0 BIGINT', "b\n' BIGINT", "B\n'_1 BIGINT", 'select BIGINT']);
      assert.equal((await written(file('csv', `${'k'.repeat(255)}\n1\n`))).columns.length, 1);
    });

    it('keep numbers as far as the format has them', async () => {
      const { key, columns } = await written(
        file('jsonl', '{"n":9007199254740993,"x":NaN}\n{"n":-9007199254740993,"x":1e400}\n{"n":0,"x":-Infinity}\n'),
      );
      assert.deepEqual(columns, ['n BIGINT', 'x DOUBLE']);
      assert.deepEqual(await rowsOf(key), [
        { source_row: 1, n: '9007199254740993', x: 'NaN' },
        { source_row: 2, n: '-9007199254740993', x: 'Infinity' },
        { source_row: 3, n: 0, x: '-Infinity' },
      ]);
    });

    it('come together with the types that all of their rows have', async () => {
      const columnsAndRows = async (format: FileFormat, ...contents: readonly string[]) => {
        const { key, columns } = await written(...contents.map((content) => file(format, content)));
        const names = columns.map((column) => column.split(' ', 1)[0]).join();
        const { rows } = await world.engine.query(key, { sql: `SELECT ${names} FROM t ORDER BY source_row`, limit: 9 });
        return [columns.join(', '), rows.map((row) => Object.values(row))];
      };
      const cases: readonly (readonly [FileFormat, readonly string[], string, readonly unknown[]])[] = [
        ['csv', ['a\n1\n', 'A\nx\n'], 'a VARCHAR', [['1'], ['x']]],
        ['csv', ['a\nyes\n', 'a\nmaybe\n'], 'a VARCHAR', [['yes'], ['maybe']]],
        ['csv', ['a\n1.50\n', 'a\nhello\n', 'a\n7\n'], 'a VARCHAR', [['1.50'], ['hello'], ['7']]],
        [
          'csv',
          ['a,b\n1,\n', 'a,b\n2,7\n'],
          'a BIGINT, b BIGINT',
          [
            [1, null],
            [2, 7],
          ],
        ],
        ['csv', ['a\n1\n', 'a\n2.5\n'], 'a DOUBLE', [[1], [2.5]]],
        [
          'csv',
          ['d,a\n31/12/2025,x\n', 'd,a\n30/12/2025,1\n'],
          'd DATE, a VARCHAR',
          [
            ['2025-12-31', 'x'],
            ['2025-12-30', '1'],
          ],
        ],
        [
          'jsonl',
          ['{"a":1,"b":null}', '{"a":2,"b":"plain"}'],
          'a BIGINT, b VARCHAR',
          [
            [1, null],
            [2, 'plain'],
          ],
        ],
        ['jsonl', ['{"a":null}', '{"a":{"x":[1]}}'], 'a STRUCT("x" BIGINT[])', [[null], [{ x: [1] }]]],
        ['jsonl', ['{"a":1}\n{"a":"x"}', '{"a":"plain"}'], 'a JSON', [[1], ['x'], ['plain']]],
        ['jsonl', ['{"a":true}', '{"a":5}'], 'a JSON', [[true], [5]]],
        [
          'jsonl',
          ['{"b":1}', '{"a":{"x":1}}', '{"a":2}'],
          'b BIGINT, a JSON',
          [
            [1, null],
            [null, { x: 1 }],
            [null, 2],
          ],
        ],
        [
          'jsonl',
          ['{"a":"550e8400-e29b-41d4-a716-446655440000"}', '{"a":"2024-01-01T00:00:00Z"}', '{"a":"hello"}'],
          'a VARCHAR',
          [['550e8400-e29b-41d4-a716-446655440000'], ['2024-01-01T00:00:00Z'], ['hello']],
        ],
        [
          'jsonl',
          ['{"a":{"x":1}}', '{"a":{"y":"z"}}'],
          'a STRUCT("x" BIGINT, "y" VARCHAR)',
          [[{ x: 1, y: null }], [{ x: null, y: 'z' }]],
        ],
      ];
      for (const [format, contents, columns, rows] of cases)
        assert.deepEqual(await columnsAndRows(format, ...contents), [columns, rows], contents.join(' + '));
      const { columns } = await written(file('csv', 'a\n5\n'), file('jsonl', '{"a":"x"}\n'));
      assert.deepEqual(columns, ['a VARCHAR']);
    });

    it('say where they do not come together', async () => {
      const struct = await exported((await written(file('jsonl', '{"a":{"x":1}}'))).key, 'parquet');
      const list = await exported((await written(file('jsonl', '{"a":[1]}'))).key, 'parquet');
      await refused(
        [file('jsonl', '{"b":1}\n'), file('parquet', struct), file('parquet', list)],
        'The files do not agree on the column a: it is STRUCT(x BIGINT) in file 2, BIGINT[] in file 3. Give it one type in all of them.',
      );
      await refused([file('csv', 'a\n1\n'), file('csv', '')], 'File 2: The file is empty.');
      await refused(
        [file('csv', 'a,b\n1,2\n'), file('jsonl', '{"a":1}\n'), file('csv', 'a,b\n1,2\n3\n')],
        'File 3: Line 3 has another number of fields, 1, than the header, 2.',
      );
    });

    it('keep rows that begin like comments, and the digits of whole numbers of any length', async () => {
      const text = await written(file('csv', '#a,b\n1,2\n#3,4\n5,#6\n'));
      assert.deepEqual(
        (await rowsOf(text.key)).map((row) => Object.values(row as object)),
        [
          [1, '1', '2'],
          [2, '#3', '4'],
          [3, '5', '#6'],
        ],
      );
      const ids =
        'id,at,n\n14695981039346656037,99999999999999999999999,1.5\n14695981039346656038,-1,12345678901234567890\n';
      for (const pieces of [1, 7, 100]) {
        const { key, columns } = await written(file('csv', ids, pieces));
        assert.deepEqual(columns, ['id UBIGINT', 'at VARCHAR', 'n DOUBLE']);
        assert.deepEqual(await rowsOf(key), [
          { source_row: 1, id: '14695981039346656037', at: '99999999999999999999999', n: 1.5 },
          { source_row: 2, id: '14695981039346656038', at: '-1', n: 12_345_678_901_234_567_168 },
        ]);
      }
      const two = await written(file('csv', ids), file('csv', 'id,at,n\n7,x,2\n'));
      assert.deepEqual(two.columns, ['id DECIMAL(38,0)', 'at VARCHAR', 'n DOUBLE']);
    });

    /** One row with so many columns. */
    const row = (columns: number): string =>
      `{${Array.from({ length: columns }, (_, index) => `"c${index}":${index}`).join(',')}}`;
    const many = '{"a":1}\n'.repeat(5_000);
    const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

    const WRONG: readonly (readonly [string, FileFormat, Content, RegExp])[] = [
      ['nothing', 'csv', '', /^The file is empty\.$/],
      ['empty lines', 'csv', '\n\r\n', /has no header line/],
      ['a byte order mark alone', 'csv', '\ufeff', /has no header line/],
      ['an empty JSON file', 'jsonl', '\n', /JSON object, and the file must hold at least one/],
      ['an empty array', 'json', '[ ]', /JSON object, and the file must hold at least one/],
      ['objects without anything', 'json', '[{},{}]', /have no columns/],
      ['fields too few', 'csv', 'a,b\n1,2\n3\n4,5,6\n', /^Line 3 has another number of fields, 1, than the header, 2/],
      ['fields too many, late', 'csv', `a,b\n${'1,2\n'.repeat(5_000)}3,4,5\n`, /^Line 5002 .* 3, than the header, 2/],
      ['fields too few after empty lines', 'csv', '\n\na;b\n1;2\n3\n', /^Line 5 has .* 1, than the header, 2/],
      ['an open quote', 'csv', 'a,b\n1,"unclosed\n2,3\n', /quote is not closed, .*: it opens in line 2/],
      ['an open quote at the end', 'csv', 'a,b\n1,2\n3,"x', /it opens in line 3/],
      ['text after a quote', 'csv', 'a,b\n1,2\n"x"y,2\n', /text follows its end: it opens in line 3/],
      ['line ends of two kinds', 'csv', 'a,b\r\n1,2\n3,4\r\n', /Lines end in more than one way/],
      ['JSON in CSV', 'csv', '{"a":1,"b":2}\n{"a":1,"b":3}\n', /number of fields/],
      [
        'an enormous line',
        'csv',
        Buffer.concat([Buffer.from('a,b\n1,2\n'), Buffer.alloc(17_000_000, 'x')]),
        /^Line 3 is longer than 16 MiB/,
      ],
      [
        'other bytes than UTF-8',
        'csv',
        Buffer.from([0x61, 0x0a, 0xe9, 0xff, 0x0a]),
        /UTF-8 or UTF-16: .* near byte 2 /,
      ],
      [
        'half of a pair in UTF-8',
        'jsonl',
        Buffer.concat([Buffer.from('{"a":"'), Buffer.from('eda080', 'hex')]),
        /UTF-16: .* near byte \d /,
      ],
      [
        'half of a pair in UTF-16',
        'csv',
        Buffer.concat([utf16('a\nb'), Buffer.from('00d8', 'hex'), Buffer.from('\n', 'utf16le')]),
        /UTF-16: .* near byte 8 /,
      ],
      [
        'half a character at the end',
        'csv',
        Buffer.concat([utf16('a\nb\n'), Buffer.from('a')]),
        /UTF-16: .* near byte 11 /,
      ],
      ['UTF-16 without its mark', 'csv', Buffer.from('a,b\n1,2\n', 'utf16le'), /U\+0000 near byte 1,/],
      ['U+0000', 'csv', 'a,b\n1,x\0y\n', /U\+0000 near byte 7,/],
      ['U+0000 as an escape', 'jsonl', '{"a":"x\\u0000y"}\n', /near byte 7 holds the character U\+0000/],
      ['U+0000 in a name', 'jsonl', '{"a\\u0000y":1}\n', /U\+0000/],
      ['half of a pair', 'jsonl', '{"a":1}\n{"a":"\\ud800"}\n', /line 2 is no valid JSON at byte 13: .*surrogate/],
      ['the other half', 'jsonl', '{"a":"\\udc00"}\n', /line 1 .*surrogate/],
      ['an end in the middle', 'jsonl', '{"a":1}\n{"a":', /line 2 .*unexpected end/],
      ['a line that is no JSON, late', 'jsonl', `${many}oops\n${many}`, /line 5001 is no valid JSON at byte 1:/],
      ['two rows in one line', 'jsonl', '{"a":1}{"a":2}\n', /line 1 .*content after/],
      ['an array in lines', 'jsonl', '[{"a":1},\n{"a":2}]\n', /line 1 /],
      ['an array cut off', 'json', '[{"a":1},{"a":2}', /value 3 is no valid JSON/],
      ['text after an array', 'json', '[{"a":1}] x', /value 2 is no valid JSON/],
      ['the same key twice', 'jsonl', '{"a":1}\n{"a":1,"a":2}\n', /row 2 has a duplicate key: a/],
      ['the same key twice, inside', 'jsonl', '{"a":{"x":1}}\n{"a":{"x":1,"x":2}}\n', /row 2 has a duplicate key: x/],
      ['keys that differ in case, inside', 'jsonl', '{"a":{"x":1,"X":2}}\n', /differ in case alone: X/],
      ['values that are no rows', 'jsonl', '1\n2\n', /JSON object, but row 1 is a number/],
      ['values among the rows', 'json', '[{"a":1},"x",{"a":1}]', /JSON object, but row 2 is a text/],
      ['lists for rows', 'json', '[[1,2],[3]]', /JSON object, but row 1 is a list/],
      ['a column too many', 'jsonl', row(1_001), /1001 columns; at most 1000/],
      ['a name too long', 'csv', `${'k'.repeat(256)}\n1\n`, /256 characters; at most 255 fit: kkk/],
      ['the reserved name', 'jsonl', '{"a":1}\n{"source_row":2}\n', /name source_row is reserved/],
      ['the reserved name in capitals', 'csv', 'Source_Row,b\n1,2\n', /reserved/],
      ['no Parquet', 'parquet', 'PAR1 this is not what it says PAR1', /Footer|Parquet|parquet/],
      ['cut Parquet', 'parquet', 'PAR1', /Parquet|parquet/],
      ['text called Parquet', 'parquet', '{"a":1}\n'.repeat(20), /Parquet|parquet|magic/],
    ];
    for (const [name, format, content, message] of WRONG) {
      it(`are refused with what is wrong: ${name}`, async () => {
        await refused([file(format, content, Math.max(7, Math.ceil(content.length / 500)))], message);
      });
    }
  });

  it('are handed out again with rows as long as they may be', async () => {
    const long = 'x'.repeat(31 * 1024 * 1024);
    const text = `{"a":1}\n{"a":"NaN ${long}"}\n`;
    const { key } = await written(file('jsonl', text, 1 << 20));
    assert.ok((await exported(key, 'jsonl')).equals(Buffer.from(text)));
    assert.ok((await exported(key, 'csv')).length > long.length);
  });

  it('take a long JSON array with space on either side of its commas, and leave the space in texts alone', async () => {
    const rows = 80 * 1024;
    const spaced: SourceFile = {
      format: 'json',
      async *content() {
        yield Buffer.from('[{"a":"x , y"}');
        const more = `${' '.repeat(500)}\t\r\n , {"a":"x , y"}`.repeat(1_024) + ' '.repeat(1_000);
        for (let count = 0; count < rows; count += 1_024) yield Buffer.from(`${more.repeat(2)}\n`);
        yield Buffer.from(' , {"a":"x\\" , y"} ]');
      },
    };
    const { key, table } = await written(spaced);
    assert.equal(table.rows, 2 * rows + 2);
    const sql = 'SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY n';
    assert.deepEqual((await world.engine.query(key, { sql, limit: 5 })).rows, [
      { a: 'x" , y', n: 1 },
      { a: 'x , y', n: 2 * rows + 1 },
    ]);
  });

  it('take a JSON array up to its bound, however it is spaced, and lines of any length', async () => {
    const bound = 128 * 1024;
    const small = await engineWorld({ arrayBytes: bound });
    const write = (format: FileFormat, content: string) =>
      small.engine.writeFiles(`array/${(keys += 1)}.parquet`, [file(format, content, 100_000)]);
    const space = (length: number, text: string): string => `${' '.repeat(length - text.length)}${text}`;
    try {
      assert.equal((await write('json', space(bound, '[{"a":1},{"a":2}]'))).rows, 2);
      assert.equal((await write('jsonl', `${'{"a":1}\n'.repeat(bound / 8)}{"a":2}\n`)).rows, bound / 8 + 1);
      assert.equal((await write('json', `${'{"a":1}\n'.repeat(bound / 8)}{"a":2}\n`)).rows, bound / 8 + 1);
      await assert.rejects(write('json', space(bound + 1, '[{"a":1},{"a":2}]')), {
        code: 'dataset_invalid',
        message: 'A JSON array may have at most 0.125 MiB; write one object per line as .jsonl instead.',
      });
    } finally {
      await small.close();
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
