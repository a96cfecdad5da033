import fc from 'fast-check';

/** A file of random rows, and the statements asked of them. */
export interface DifferentialCase {
  readonly format: 'jsonl' | 'csv' | 'parquet';
  /** Text of the file; for Parquet the SELECT that makes it. */
  readonly content: string;
  readonly statements: readonly string[];
}

interface Column {
  readonly name: string;
  readonly kind: Kind;
}

type Kind = 'integer' | 'number' | 'text' | 'boolean' | 'date' | 'timestamp' | 'decimal' | 'huge' | 'list' | 'struct';

const NAMES = ['id', 'Größe', 'select', 'with space', 'a"b', '名前', 'value', 'x_1', '🎈', "it's"];
const ALPHABET = [
  'a',
  'B',
  'ß',
  'é',
  '名',
  '🎉',
  ' ',
  ',',
  '"',
  "'",
  '\\',
  '\n',
  '\t',
  '%',
  '_',
  '0',
  '-',
  ';',
  '[',
  '{',
];
const ROWS_MAX = 40;

const text = fc.array(fc.constantFrom(...ALPHABET), { maxLength: 12 }).map((chars) => chars.join(''));
const integer = fc.oneof(
  fc.bigInt({ min: -20n, max: 20n }),
  fc.bigInt({ min: -(2n ** 53n) - 2n, max: -(2n ** 53n) + 2n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  fc.integer({ min: -1_000, max: 1_000 }).map((value) => value / 8),
);
const digits = (value: number, length: number): string => String(value).padStart(length, '0');
const date = fc
  .tuple(fc.integer({ min: 1900, max: 2100 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, day]) => `${year}-${digits(month, 2)}-${digits(day, 2)}`);
const timestamp = fc
  .tuple(date, fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 999_999 }))
  .map(([day, hour, minute, micros]) => `${day} ${digits(hour, 2)}:${digits(minute, 2)}:07.${digits(micros, 6)}`);
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 99 }))
  .map(([whole, cents]) => `${whole}.${digits(cents, 2)}`);

/** JSON text of values of a kind. */
const JSON_VALUES: Readonly<Record<Exclude<Kind, 'decimal' | 'huge'>, fc.Arbitrary<string>>> = {
  integer: integer.map(String),
  number: number.map((value) => JSON.stringify(value)),
  text: text.map((value) => JSON.stringify(value)),
  boolean: fc.boolean().map(String),
  date: date.map((value) => `"${value}"`),
  timestamp: timestamp.map((value) => `"${value}"`),
  list: fc
    .array(fc.oneof(integer.map(String), fc.constant('null')), { maxLength: 4 })
    .map((items) => `[${items.join(',')}]`),
  struct: fc
    .tuple(integer, text, fc.array(number, { maxLength: 3 }))
    .map(([n, s, l]) => `{"n":${n},"s":${JSON.stringify(s)},"l":${JSON.stringify(l)}}`),
};

/** SQL of values of a kind. */
const SQL_VALUES: Readonly<Record<Kind, fc.Arbitrary<string>>> = {
  integer: integer.map((value) => `${value}::BIGINT`),
  number: fc.oneof(
    number.map((value) => `'${value}'::DOUBLE`),
    fc.constantFrom("'NaN'::DOUBLE", "'Infinity'::DOUBLE", "'-Infinity'::DOUBLE"),
  ),
  text: text.map(literal),
  boolean: fc.boolean().map(String),
  date: date.map((value) => `DATE '${value}'`),
  timestamp: timestamp.map((value) => `TIMESTAMP '${value}'`),
  decimal: decimal.map((value) => `${value}::DECIMAL(38,2)`),
  huge: fc.bigInt({ min: -(10n ** 37n), max: 10n ** 37n }).map((value) => `${value}::DECIMAL(38,0)`),
  list: fc.array(integer, { maxLength: 4 }).map((items) => `[${items.join(', ')}]::BIGINT[]`),
  struct: fc
    .tuple(integer, text, fc.array(SQL_NUMBER(), { maxLength: 3 }))
    .map(([n, s, l]) => `{'n': ${n}::BIGINT, 's': ${literal(s)}, 'l': [${l.join(', ')}]::DOUBLE[]}`),
};

function SQL_NUMBER(): fc.Arbitrary<string> {
  return fc.oneof(
    number.map((value) => `'${value}'`),
    fc.constantFrom("'NaN'", "'Infinity'"),
  );
}

const KINDS: Readonly<Record<DifferentialCase['format'], readonly Kind[]>> = {
  jsonl: ['integer', 'number', 'text', 'boolean', 'date', 'timestamp', 'list', 'struct'],
  csv: ['integer', 'number', 'text', 'boolean', 'date', 'timestamp'],
  parquet: ['integer', 'number', 'text', 'boolean', 'date', 'timestamp', 'decimal', 'huge', 'list', 'struct'],
};

/** Random files with statements over their columns. */
export function differentialCases(): fc.Arbitrary<DifferentialCase> {
  return fc.constantFrom(...FORMATS).chain((format) =>
    columnsOf(format).chain((columns) =>
      fc.record({
        format: fc.constant(format),
        content: contentOf(format, columns),
        statements: fc.array(statementOver(columns), { minLength: 3, maxLength: 5 }),
      }),
    ),
  );
}

const FORMATS = ['jsonl', 'csv', 'parquet'] as const;

function columnsOf(format: DifferentialCase['format']): fc.Arbitrary<readonly Column[]> {
  return fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 6, selector: (name) => name.toLowerCase() }),
      fc.array(fc.constantFrom(...KINDS[format]), { minLength: 6, maxLength: 6 }),
    )
    .map(([names, kinds]) => names.map((name, index) => ({ name, kind: kinds[index] ?? 'text' })));
}

function contentOf(format: DifferentialCase['format'], columns: readonly Column[]): fc.Arbitrary<string> {
  switch (format) {
    case 'jsonl':
      return rowsOf(
        columns,
        ({ kind }) => (kind === 'decimal' || kind === 'huge' ? JSON_VALUES.integer : JSON_VALUES[kind]),
        'null',
      ).map((rows) =>
        rows
          .map(
            (row) => `{${row.map((value, index) => `${JSON.stringify(columns[index]?.name)}:${value}`).join(',')}}\n`,
          )
          .join(''),
      );
    case 'csv':
      return rowsOf(columns, ({ kind }) => csvValue(kind), '').map((rows) =>
        [columns.map(({ name }) => quotedCsv(name)), ...rows].map((row) => `${row.join(',')}\n`).join(''),
      );
    case 'parquet':
      return rowsOf(columns, ({ kind }) => SQL_VALUES[kind], 'NULL').map((rows) => {
        const select = columns.map(
          ({ name, kind }, index) => `CAST(v${index} AS ${TYPES[kind]}) AS ${identifier(name)}`,
        );
        const values = rows.map((row) => `(${row.join(', ')})`).join(', ');
        return `SELECT ${select.join(', ')} FROM (VALUES ${values}) AS v(${columns.map((_, index) => `v${index}`).join(', ')})`;
      });
  }
}

const TYPES: Readonly<Record<Kind, string>> = {
  integer: 'BIGINT',
  number: 'DOUBLE',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  decimal: 'DECIMAL(38,2)',
  huge: 'DECIMAL(38,0)',
  list: 'BIGINT[]',
  struct: 'STRUCT(n BIGINT, s VARCHAR, l DOUBLE[])',
};

function rowsOf(
  columns: readonly Column[],
  valueOf: (column: Column) => fc.Arbitrary<string>,
  none: string,
): fc.Arbitrary<readonly (readonly string[])[]> {
  const row = fc.tuple(...columns.map((column) => fc.option(valueOf(column), { nil: none, freq: 6 })));
  return fc.array(row, { minLength: 1, maxLength: ROWS_MAX });
}

/** A single empty column would be an empty line, which is no row. */
function csvValue(kind: Kind): fc.Arbitrary<string> {
  if (kind === 'text') return text.map((value) => quotedCsv(value));
  if (kind === 'integer') return integer.map(String);
  if (kind === 'number') return number.map(String);
  if (kind === 'boolean') return fc.boolean().map(String);
  return kind === 'date' ? date : timestamp;
}

/** One SELECT whose answer has one right order, whatever the column is. */
function statementOver(columns: readonly Column[]): fc.Arbitrary<string> {
  const column = fc.constantFrom(...columns.map(({ name }) => identifier(name)));
  const limit = fc.integer({ min: 1, max: 60 });
  const condition = fc.oneof(
    column.map((name) => `${name} IS NOT NULL`),
    column.map((name) => `${name} IS NULL`),
    fc.tuple(column, text).map(([name, value]) => `CAST(${name} AS VARCHAR) > ${literal(value)}`),
    fc.integer({ min: 0, max: ROWS_MAX }).map((row) => `source_row <= ${row} OR source_row % 3 = 0`),
  );
  return fc.oneof(
    fc
      .tuple(condition, limit)
      .map(([where, rows]) => `SELECT * FROM t WHERE ${where} ORDER BY source_row LIMIT ${rows}`),
    fc
      .tuple(column, column)
      .map(
        ([one, two]) =>
          `SELECT ${one} AS k, count(*) AS n, count(${two}) AS m, min(source_row) AS f FROM t GROUP BY ALL ORDER BY f`,
      ),
    column.map(
      (name) =>
        `SELECT min(${name}) AS a, max(${name}) AS b, count(DISTINCT ${name}) AS c, any_value(${name}) AS d FROM t`,
    ),
    fc
      .tuple(column, column)
      .map(
        ([one, two]) =>
          `SELECT source_row, lag(${one}) OVER (ORDER BY source_row) AS l, row_number() OVER (PARTITION BY ${two} ORDER BY source_row) AS r FROM t ORDER BY source_row`,
      ),
    column.map(
      (name) =>
        `WITH x AS (SELECT length(CAST(${name} AS VARCHAR)) AS n, source_row FROM t) SELECT n, sum(n) OVER (ORDER BY source_row) AS s, n / 7 AS q, n // 7 AS w FROM x ORDER BY source_row`,
    ),
    fc
      .tuple(column, column)
      .map(
        ([one, two]) =>
          `SELECT list(${one} ORDER BY source_row) AS l, {'k': first(${two} ORDER BY source_row)} AS s, MAP {'n': count(*)} AS m FROM t`,
      ),
    fc
      .tuple(column, condition)
      .map(
        ([name, where]) =>
          `SELECT CASE WHEN ${where} THEN ${name} END AS c, coalesce(CAST(${name} AS VARCHAR), 'none') AS d FROM t ORDER BY source_row`,
      ),
    column.map(
      (name) =>
        `(SELECT ${name} AS u, source_row AS o FROM t) UNION ALL (SELECT ${name}, -source_row FROM t) ORDER BY o LIMIT 90`,
    ),
    column.map(
      (name) =>
        `SELECT upper(substr(CAST(${name} AS VARCHAR), 1, 5)) AS u, md5(CAST(${name} AS VARCHAR)) AS h, hash(source_row) AS b FROM t ORDER BY source_row`,
    ),
    fc.constant(
      `SELECT sum(source_row) * 9007199254740993 AS big, avg(source_row) AS mean, sum(source_row)::DECIMAL(30, 9) / 7 AS d FROM t`,
    ),
  );
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function quotedCsv(value: string): string {
  return `"${value.replaceAll('"', '""')}"`;
}
