import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier, literal } from './engine-database.ts';
import { typeName } from './json-values.ts';
import type { EngineFile, EngineTask } from './protocol.ts';
import { StatementFault } from './statement-guard.ts';

/** Longest row of a JSON file, and of separated values, which the engine buffers several times over. */
const ROW_BYTES_MAX = 32 * 1024 * 1024;
const LINE_BYTES_MAX = 16 * 1024 * 1024;
/** What nests deeper stays JSON: types of that depth are of no use to anybody and cost the engine its stack. */
const DEPTH_MAX = 16;

/** Makes the view `rows` over files, in their order, with the columns of all of them. */
export async function openFiles(
  connection: DuckDBConnection,
  files: readonly EngineFile[],
  identity: string,
): Promise<void> {
  for (const [index, file] of files.entries()) {
    const which = files.length === 1 ? '' : `File ${index + 1}: `;
    try {
      await connection.run(`CREATE VIEW file_${index} AS SELECT * FROM ${readerOf(file)}`);
      await checkNames(connection, `file_${index}`, identity);
    } catch (error) {
      throw new StatementFault(which + explain(error, file), { cause: error });
    }
  }
  const all = files.map((_file, index) => `SELECT * FROM file_${index}`).join(' UNION ALL BY NAME ');
  await connection.run(`CREATE VIEW rows AS ${all}`);
}

/**
 * The dialect of separated values is settled by the header line beforehand: left to guess, the engine would rather skip
 * lines or read a broken file as one column than refuse it.
 */
function readerOf({ path, format, delimiter }: EngineFile): string {
  const file = literal(path);
  switch (format) {
    case 'parquet':
      return `read_parquet(${file})`;
    case 'json':
    case 'jsonl': {
      const layout = format === 'jsonl' ? 'newline_delimited' : 'auto';
      return `read_json(${file}, format = '${layout}', records = true, sample_size = -1, maximum_depth = ${DEPTH_MAX}, maximum_object_size = ${ROW_BYTES_MAX})`;
    }
    case 'csv':
    case 'tsv':
      return `read_csv(${file}, delim = ${literal(delimiter ?? ',')}, quote = '"', escape = '"', header = true, skip = 0, sample_size = -1, strict_mode = true, max_line_size = ${LINE_BYTES_MAX}, buffer_size = ${2 * LINE_BYTES_MAX})`;
  }
}

async function checkNames(connection: DuckDBConnection, view: string, identity: string): Promise<void> {
  const result = await connection.stream(`SELECT * FROM ${view} LIMIT 0`);
  for (let index = 0; index < result.columnCount; index += 1) {
    if (result.columnName(index).toLowerCase() !== identity) continue;
    throw new StatementFault(`The column name ${identity} is reserved; give that column another name.`);
  }
}

/** What is wrong with the file, for whoever has it. The engine's own words speak of settings nobody can change here. */
function explain(error: unknown, { format }: EngineFile): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StatementFault) return message;
  if (/expected records/.test(message)) return 'Each row must be a JSON object, and the file must hold at least one.';
  if (message.startsWith('Out of Memory')) return 'The file needs more memory than one file may use; use shorter rows.';
  if (/sniffing|CSV Error/.test(message)) {
    const line = /CSV Error on Line: (\d+)/.exec(message)?.[1];
    const where = line === undefined ? '' : ` Line ${line} is the first.`;
    return `Rows differ in their number of fields from the header, or a quote is not closed.${where}`;
  }
  const own = message.replaceAll(/ ?in file "[^"]*",?| in file '[^']*'| ?[Ff]ile '[^']*'/g, '');
  return `The file is not what .${format} says. ${own}`;
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
