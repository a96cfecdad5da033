import type { DuckDBConnection } from '@duckdb/node-api';
import { commonTypes, tableOf } from './common-types.ts';
import type { ColumnTypes } from './common-types.ts';
import { identifier, literal } from './engine-database.ts';
import { explain, isAboutRecords, LINE_BYTES_MAX } from './file-faults.ts';
import type { EngineFile } from './protocol.ts';
import { StatementFault } from './statement-guard.ts';
import { columnsOf, ROW_BYTES_MAX } from './write-tasks.ts';

/** What nests deeper stays JSON: types of that depth are of no use to anybody and cost the engine its stack. */
const DEPTH_MAX = 16;
/** Types that separated values have whatever else is known of them. */
const SETTLED = new Set(['UBIGINT', 'VARCHAR']);

/** Makes the view `rows` over files, in their order, with the columns of all of them. */
export async function openFiles(
  connection: DuckDBConnection,
  files: readonly EngineFile[],
  identity: string,
): Promise<void> {
  const [only] = files;
  if (files.length === 1 && only !== undefined) {
    await told(connection, files, 0, () => openFile(connection, { storage: 'VIEW', name: 'rows' }, only));
    return told(connection, files, 0, () => checkNames(connection, 'rows', identity));
  }
  for (const [index, file] of files.entries()) {
    await told(connection, files, index, async () => {
      await openFile(connection, { storage: storageOf(file), name: tableOf(index) }, file);
      await checkNames(connection, tableOf(index), identity);
    });
  }
  for (const [index, types] of await commonTypes(connection, files)) {
    const [file] = files.slice(index);
    if (file === undefined) continue;
    await told(connection, files, index, () => openAgain(connection, tableOf(index), file, types));
  }
  const all = files.map((_file, index) => `SELECT * FROM ${tableOf(index)}`).join(' UNION ALL BY NAME ');
  await connection.run(`CREATE VIEW rows AS ${all}`);
}

/** What fails is told in terms of the file. */
async function told(
  connection: DuckDBConnection,
  files: readonly EngineFile[],
  index: number,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new StatementFault(await explain(connection, files, index, error), { cause: error });
  }
}

/** A hundred text files that are read as one would each hold their buffers; so each is read by itself, onto disk. */
function storageOf({ format }: EngineFile): string {
  return format === 'parquet' ? 'VIEW' : 'TEMP TABLE';
}

/**
 * Rows of JSON with many keys, or with others from row to row, look like maps to the engine. They are rows all the same,
 * so they are looked at once more without; only then are maps inside of them columns by key.
 */
async function openFile(
  connection: DuckDBConnection,
  { storage, name }: { readonly storage: string; readonly name: string },
  file: EngineFile,
): Promise<void> {
  const target = `${storage} ${name}`;
  try {
    await connection.run(`CREATE ${target} AS SELECT * FROM ${readerOf(file)}`);
  } catch (error) {
    if (!isAboutRecords(error)) throw error;
    await connection.run(`CREATE ${target} AS SELECT * FROM ${readerOf(file, 'map_inference_threshold = -1')}`);
  }
  const types = await wholeNumbers(connection, name, file);
  if (types.size > 0) await connection.run(`CREATE OR REPLACE ${target} AS SELECT * FROM ${typedReader(file, types)}`);
}

/** The table of a file once more, its columns as before but for those whose types are given. */
async function openAgain(
  connection: DuckDBConnection,
  table: string,
  file: EngineFile,
  types: ColumnTypes,
): Promise<void> {
  const before = await columnsOf(connection, table);
  // What stands for a date is found with its format, so such types are left to be found again.
  const kept = before.filter(({ name, type }) => !isSeparated(file) || types.has(name) || SETTLED.has(type));
  const all = new Map(kept.map(({ name, type }) => [name, types.get(name) ?? type]));
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${table} AS SELECT * FROM ${typedReader(file, all)}`);
}

/**
 * The columns of a file of separated values that hold nothing but whole numbers, some of them of more than 64 bits with
 * their sign. The engine would take those for doubles and lose their last digits: unlike in JSON, it looks for no wider type.
 */
async function wholeNumbers(connection: DuckDBConnection, table: string, file: EngineFile): Promise<ColumnTypes> {
  if (file.hasLongNumbers !== true || !isSeparated(file)) return new Map();
  const doubles = (await columnsOf(connection, table)).filter(({ type }) => type === 'DOUBLE');
  if (doubles.length === 0) return new Map();
  const facts = doubles.flatMap(({ name }) => [
    `bool_and(regexp_full_match(${identifier(name)}, '\\s*[-+]?\\d+\\s*'))`,
    `bool_and(${identifier(name)} IS NULL OR TRY_CAST(${identifier(name)} AS UBIGINT) IS NOT NULL)`,
  ]);
  const reader = await connection.runAndReadAll(
    `SELECT ${facts.join(', ')} FROM ${readerOf(file, 'all_varchar = true')}`,
  );
  const found = reader.getRows()[0] ?? [];
  const types = new Map<string, string>();
  for (const [index, { name }] of doubles.entries()) {
    if (found[2 * index] === true) types.set(name, found[2 * index + 1] === true ? 'UBIGINT' : 'VARCHAR');
  }
  return types;
}

/** Reads a file with these types; of JSON all are given, of separated values those that are not to be looked for. */
function typedReader(file: EngineFile, types: ColumnTypes): string {
  const list = [...types].map(([name, type]) => `${literal(name)}: ${literal(type)}`).join(', ');
  return readerOf(file, isSeparated(file) ? `types = {${list}}` : `columns = {${list}}`);
}

function isSeparated({ format }: EngineFile): boolean {
  return format === 'csv' || format === 'tsv';
}

/**
 * The dialect of separated values is settled by the header line beforehand: left to guess, the engine would rather skip
 * lines, take them for comments or read a broken file as one column than refuse it.
 */
function readerOf({ path, format, delimiter, emptyLines }: EngineFile, more?: string): string {
  const file = literal(path);
  const last = more === undefined ? '' : `, ${more}`;
  switch (format) {
    case 'parquet':
      return `read_parquet(${file})`;
    case 'json':
    case 'jsonl': {
      const layout = format === 'jsonl' ? 'newline_delimited' : 'auto';
      return `read_json(${file}, format = '${layout}', records = true, sample_size = -1, maximum_depth = ${DEPTH_MAX}, maximum_object_size = ${ROW_BYTES_MAX}${last})`;
    }
    case 'csv':
    case 'tsv':
      return `read_csv(${file}, delim = ${literal(delimiter ?? ',')}, quote = '"', escape = '"', comment = '', header = true, skip = ${emptyLines ?? 0}, sample_size = -1, strict_mode = true, max_line_size = ${LINE_BYTES_MAX}, buffer_size = ${2 * LINE_BYTES_MAX}${last})`;
  }
}

async function checkNames(connection: DuckDBConnection, view: string, identity: string): Promise<void> {
  if ((await columnsOf(connection, view)).every(({ name }) => name.toLowerCase() !== identity)) return;
  throw new StatementFault(`The column name ${identity} is reserved; give that column another name.`);
}
