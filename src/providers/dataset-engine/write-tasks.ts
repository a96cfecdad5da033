import { createHash } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { unusedName } from '../../domain/datasets/row-content.ts';
import { identifier, literal } from './engine-database.ts';
import { typeName } from './json-values.ts';
import { StatementFault } from './statement-guard.ts';

/** Longest JSON text of one row. */
export const ROW_BYTES_MAX = 32 * 1024 * 1024;
export const COLUMNS_MAX = 1_000;
/** What answers show of a name; a longer one could not be asked for. */
const NAME_MAX = 255;

/** Types a Parquet file cannot hold, or holds with fewer digits. */
const NOT_IN_PARQUET = /HUGEINT|BIGNUM|UNION|BIT\b|INTERVAL|TIME WITH TIME ZONE|VARIANT|GEOMETRY/;
const WHOLE_NUMBER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM)$/;
const WIDE_INTEGER = /^(?:U?HUGEINT|BIGNUM)$/;

export interface ColumnType {
  readonly name: string;
  readonly type: string;
}

/** Makes the view `rows` over JSON lines. */
export async function openRows(
  connection: DuckDBConnection,
  jsonLines: string,
  columns: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  const shape =
    columns === undefined
      ? 'auto_detect = true, sample_size = -1'
      : `columns = {${Object.entries(columns)
          .map(([name, type]) => `${identifier(name)}: ${literal(type)}`)
          .join(', ')}}`;
  await connection.run(
    `CREATE VIEW rows AS SELECT * FROM read_json(${literal(jsonLines)}, format = 'newline_delimited', ` +
      `maximum_object_size = ${ROW_BYTES_MAX}, ${shape})`,
  );
}

/**
 * Writes `rows` to a new Parquet file, row identity first, and describes what was written as JSON text. Rows that bring
 * no identity are numbered; one that does not tell the rows apart is refused.
 */
export async function writeTable(connection: DuckDBConnection, target: string, identity: string): Promise<string> {
  const all = await columnsOf(connection, 'rows');
  const columns = all.filter(({ name }) => name.toLowerCase() !== identity);
  const given = all.find(({ name }) => name.toLowerCase() === identity);
  checkColumns(columns);
  if (given !== undefined && !WHOLE_NUMBER.test(given.type)) throw notIdentity(identity, `is of type ${given.type}`);
  const kept = await Promise.all(columns.map((column) => storable(connection, column)));
  const first = given === undefined ? 'row_number() OVER ()' : `TRY_CAST(${identifier(identity)} AS BIGINT)`;
  const select = [`${first} AS ${identifier(identity)}`, ...kept].join(', ');
  await connection.run(
    `COPY (SELECT ${select} FROM rows) TO ${literal(target)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`,
  );
  if (given !== undefined) await checkIdentity(connection, target, identity);
  await connection.run(
    `CREATE VIEW written AS SELECT * EXCLUDE (${identifier(identity)}) FROM read_parquet(${literal(target)})`,
  );
  return JSON.stringify(await describeWritten(connection));
}

/** Looks at what was written, so that the statement runs once. Numbers that rise, as most do, need no memory. */
async function checkIdentity(connection: DuckDBConnection, target: string, identity: string): Promise<void> {
  const written = `read_parquet(${literal(target)})`;
  const number = identifier(identity);
  const reader = await connection.runAndReadAll(
    'SELECT count(*) - count(number), coalesce(min(number), 1), coalesce(max(number), 1), count_if(number <= earlier) ' +
      `FROM (SELECT ${number} AS number, lag(${number}) OVER () AS earlier FROM ${written})`,
  );
  const [missing = 0, least = 1, most = 1, falls = 0] = (reader.getRows()[0] ?? []).map(Number);
  if (missing > 0) throw notIdentity(identity, 'is missing or too large in some of the rows');
  if (least < 1 || most > Number.MAX_SAFE_INTEGER) {
    throw notIdentity(identity, `is not between 1 and ${Number.MAX_SAFE_INTEGER} in all rows`);
  }
  if (falls === 0) return;
  const again = await connection.runAndReadAll(
    `SELECT ${number} FROM ${written} GROUP BY ${number} HAVING count(*) > 1 LIMIT 1`,
  );
  const [[repeated] = []] = again.getRows();
  if (repeated !== undefined) throw notIdentity(identity, `is ${String(repeated)} in more than one row`);
}

function notIdentity(identity: string, fault: string): StatementFault {
  return new StatementFault(
    `The column ${identity} of the answer ${fault}, so it does not tell the rows apart. ` +
      `Leave ${identity} out and the rows are numbered anew.`,
  );
}

async function describeWritten(connection: DuckDBConnection): Promise<Record<string, unknown>> {
  const columns = await describe(connection, 'written');
  const counts = columns.map(({ name }) => `count(${identifier(name)})`);
  const reader = await connection.runAndReadAll(`SELECT ${['count(*)', ...counts].join(', ')} FROM written`);
  const [rows = 0, ...filled] = (reader.getRows()[0] ?? []).map(Number);
  return {
    rows,
    columns: columns.map((column, index) => ({
      ...column,
      nullRate: rows === 0 ? 0 : Math.round((1 - (filled[index] ?? 0) / rows) * 1e6) / 1e6,
    })),
    fingerprint: await fingerprint(connection, columns),
  };
}

/** Row digests are made inside the engine, so only 64 characters a row cross over, whatever its size. */
async function fingerprint(connection: DuckDBConnection, columns: readonly ColumnType[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(columns.map(({ name, type }) => [name, type])));
  // A column of that name would stand for the row.
  const row = unusedName('written_row', columns);
  const result = await connection.stream(`SELECT sha256(CAST(to_json(${row}) AS VARCHAR)) FROM written AS ${row}`);
  for await (const chunk of result) {
    for (const digest of chunk.getColumnValues(0)) hash.update(`\n${String(digest)}`);
  }
  return hash.digest('hex');
}

/** Columns of a view of our own, from the catalog: to bind one over a file means to look through the whole file again. */
export async function columnsOf(connection: DuckDBConnection, view: string): Promise<readonly ColumnType[]> {
  const reader = await connection.runAndReadAll(
    `SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ${literal(view)} ORDER BY column_index`,
  );
  return reader.getRows().map(([name, type]) => ({
    name: String(name),
    // What has no type at all is written as the engine writes it.
    type: type === '"NULL"' ? 'INTEGER' : String(type),
  }));
}

/** Columns of a view, as the engine names them and their types. */
export async function describe(connection: DuckDBConnection, view: string): Promise<readonly ColumnType[]> {
  const result = await connection.stream(`SELECT * FROM ${view} LIMIT 0`);
  return result.columnTypes().map((type, index) => ({ name: result.columnName(index), type: typeName(type) }));
}

function checkColumns(columns: readonly ColumnType[]): void {
  if (columns.length === 0) throw new StatementFault('The rows have no columns.');
  if (columns.length > COLUMNS_MAX) {
    throw new StatementFault(`The rows have ${columns.length} columns; at most ${COLUMNS_MAX} fit into a dataset.`);
  }
  const [long] = columns.filter(({ name }) => name.length > NAME_MAX);
  if (long !== undefined) {
    throw new StatementFault(
      `The name of a column has ${long.name.length} characters; at most ${NAME_MAX} fit: ${long.name.slice(0, 40)}…`,
    );
  }
}

/** The column as an expression whose type a Parquet file holds without loss. */
async function storable(connection: DuckDBConnection, { name, type }: ColumnType): Promise<string> {
  const column = identifier(name);
  if (WIDE_INTEGER.test(type)) return `CAST(${column} AS ${await narrowest(connection, column)}) AS ${column}`;
  if (type === 'INTERVAL' || type === 'BIT' || type === 'TIME WITH TIME ZONE')
    return `CAST(${column} AS VARCHAR) AS ${column}`;
  if (type === 'NULL' || type === '"NULL"') return `CAST(${column} AS VARCHAR) AS ${column}`;
  return NOT_IN_PARQUET.test(type) ? `to_json(${column}) AS ${column}` : column;
}

async function narrowest(connection: DuckDBConnection, column: string): Promise<string> {
  const fits = ['BIGINT', 'DECIMAL(38, 0)'].map(
    (type) => `coalesce(bool_and(${column} IS NULL OR TRY_CAST(${column} AS ${type}) IS NOT NULL), true)`,
  );
  const reader = await connection.runAndReadAll(`SELECT ${fits.join(', ')} FROM rows`);
  const [asBigint, asDecimal] = reader.getRows()[0] ?? [];
  if (asBigint === true) return 'BIGINT';
  return asDecimal === true ? 'DECIMAL(38, 0)' : 'VARCHAR';
}
