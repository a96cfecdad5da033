import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier, literal } from './engine-database.ts';
import { explain, isAboutRecords, LINE_BYTES_MAX } from './file-faults.ts';
import { typeName } from './json-values.ts';
import type { EngineFile, EngineTask } from './protocol.ts';
import { StatementFault } from './statement-guard.ts';
import { columnsOf, ROW_BYTES_MAX } from './write-tasks.ts';

/** What nests deeper stays JSON: types of that depth are of no use to anybody and cost the engine its stack. */
const DEPTH_MAX = 16;

/** Makes the view `rows` over files, in their order, with the columns of all of them. */
export async function openFiles(
  connection: DuckDBConnection,
  files: readonly EngineFile[],
  identity: string,
): Promise<void> {
  const nameOf = (index: number): string => (files.length === 1 ? 'rows' : `file_${index}`);
  for (const [index, file] of files.entries()) {
    try {
      await openFile(connection, `${files.length === 1 ? 'VIEW' : storageOf(file)} ${nameOf(index)}`, file);
      await checkNames(connection, nameOf(index), identity);
    } catch (error) {
      throw new StatementFault(await explain(connection, files, index, error), { cause: error });
    }
  }
  if (files.length === 1) return;
  const all = files.map((_file, index) => `SELECT * FROM ${nameOf(index)}`).join(' UNION ALL BY NAME ');
  await connection.run(`CREATE VIEW rows AS ${all}`);
}

/** A hundred text files that are read as one would each hold their buffers; so each is read by itself, onto disk. */
function storageOf({ format }: EngineFile): string {
  return format === 'parquet' ? 'VIEW' : 'TEMP TABLE';
}

/**
 * Rows of JSON with many keys, or with others from row to row, look like maps to the engine. They are rows all the same,
 * so they are looked at once more without; only then are maps inside of them columns by key.
 */
async function openFile(connection: DuckDBConnection, target: string, file: EngineFile): Promise<void> {
  try {
    await connection.run(`CREATE ${target} AS SELECT * FROM ${readerOf(file)}`);
  } catch (error) {
    if (!isAboutRecords(error)) throw error;
    await connection.run(`CREATE ${target} AS SELECT * FROM ${readerOf(file, ', map_inference_threshold = -1')}`);
  }
}

/**
 * The dialect of separated values is settled by the header line beforehand: left to guess, the engine would rather skip
 * lines or read a broken file as one column than refuse it.
 */
function readerOf({ path, format, delimiter, emptyLines }: EngineFile, more = ''): string {
  const file = literal(path);
  switch (format) {
    case 'parquet':
      return `read_parquet(${file})`;
    case 'json':
    case 'jsonl': {
      const layout = format === 'jsonl' ? 'newline_delimited' : 'auto';
      return `read_json(${file}, format = '${layout}', records = true, sample_size = -1, maximum_depth = ${DEPTH_MAX}, maximum_object_size = ${ROW_BYTES_MAX}${more})`;
    }
    case 'csv':
    case 'tsv':
      return `read_csv(${file}, delim = ${literal(delimiter ?? ',')}, quote = '"', escape = '"', header = true, skip = ${emptyLines ?? 0}, sample_size = -1, strict_mode = true, max_line_size = ${LINE_BYTES_MAX}, buffer_size = ${2 * LINE_BYTES_MAX})`;
  }
}

async function checkNames(connection: DuckDBConnection, view: string, identity: string): Promise<void> {
  if ((await columnsOf(connection, view)).every(({ name }) => name.toLowerCase() !== identity)) return;
  throw new StatementFault(`The column name ${identity} is reserved; give that column another name.`);
}

/** Writes `t` as one file of the format. */
export async function exportTable(
  connection: DuckDBConnection,
  { format, target, identity }: Extract<EngineTask, { readonly kind: 'export' }>,
): Promise<string> {
  const result = await connection.stream('SELECT * FROM t LIMIT 0');
  const columns = result
    .columnTypes()
    .map((type, index) => ({ name: result.columnName(index), type: typeName(type) }))
    .filter(({ name }) => name !== identity)
    .map(({ name, type }) => `${expressionOf(identifier(name), type, format)} AS ${identifier(name)}`);
  const options = { jsonl: 'FORMAT json', csv: 'FORMAT csv, HEADER true', parquet: 'FORMAT parquet, COMPRESSION zstd' };
  await connection.run(
    `COPY (SELECT ${columns.join(', ')} FROM t) TO ${literal(target)} (${options[format]}, USE_TMP_FILE false)`,
  );
  return 'null';
}

/** JSON has no numbers that are none, and separated values have no nesting. */
function expressionOf(column: string, type: string, format: 'jsonl' | 'csv' | 'parquet'): string {
  if (format === 'parquet') return column;
  const isNested = /^(?:STRUCT|MAP)\b|\[\d*\]$/.test(type);
  const isJson = isNested || type === 'JSON';
  if (format === 'csv') return isJson ? finiteJson(column) : column;
  if (/^(?:DOUBLE|FLOAT)$/.test(type)) {
    return `CASE WHEN isnan(${column}) THEN to_json('NaN') WHEN NOT isinf(${column}) THEN to_json(${column}) WHEN ${column} > 0 THEN to_json('Infinity') WHEN ${column} < 0 THEN to_json('-Infinity') END`;
  }
  return isJson && /JSON|DOUBLE|FLOAT/.test(type) ? `CAST(${finiteJson(column)} AS JSON)` : column;
}

/** The column as JSON text, with numbers that are none as text; only the rows that hold one are taken apart. */
function finiteJson(column: string): string {
  const json = `CAST(to_json(${column}) AS VARCHAR)`;
  const tokens = `regexp_extract_all(${json}, '(?s)"(?:[^"\\\\]|\\\\.)*"|-?(?:NaN|Infinity)|[^"NI-]+|.')`;
  const quoted = `list_transform(${tokens}, token -> CASE WHEN token IN ('NaN', 'Infinity', '-Infinity') THEN '"' || token || '"' ELSE token END)`;
  return `CASE WHEN regexp_matches(${json}, 'NaN|Infinity') THEN array_to_string(${quoted}, '') ELSE ${json} END`;
}
