import type { DuckDBConnection } from '@duckdb/node-api';
import { clip } from '../../kernel/bounded.ts';
import { identifier, literal } from './engine-database.ts';
import type { EngineFile } from './protocol.ts';
import { StatementFault } from './statement-guard.ts';
import { COLUMNS_MAX, columnsOf, ROW_BYTES_MAX } from './write-tasks.ts';

/** Longest row of separated values, which the engine buffers several times over. */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;

const MIB = 1024 * 1024;
const TYPE_SHOWN = 60;
const KINDS: ReadonlyMap<string, string> = new Map([
  ['ARRAY', 'a list'],
  ['VARCHAR', 'a text'],
  ['BOOLEAN', 'true or false'],
]);
const NO_OBJECT = /expected records/;

/** Does the work; what fails is the fault of one of the files, and is told in terms of that file. */
export async function inFiles<T>(
  connection: DuckDBConnection,
  files: readonly EngineFile[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = messageOf(error);
    const at = files.length === 1 ? 0 : files.findIndex(({ path }) => message.includes(path));
    const told = at === -1 ? await explainTogether(connection, files, message) : explain(connection, files, at, error);
    throw new StatementFault(await told, { cause: error });
  }
}

/** What is wrong with a file and where, for whoever has it. The engine's own words speak of settings nobody can change. */
export async function explain(
  connection: DuckDBConnection,
  files: readonly EngineFile[],
  index: number,
  error: unknown,
): Promise<string> {
  const which = files.length === 1 ? '' : `File ${index + 1}: `;
  const [file] = files.slice(index);
  return file === undefined ? messageOf(error) : which + (await explainOne(connection, file, error));
}

/** Whether the engine took the rows of a JSON file for something else than objects with columns. */
export function isAboutRecords(error: unknown): boolean {
  return NO_OBJECT.test(messageOf(error));
}

async function explainOne(connection: DuckDBConnection, file: EngineFile, error: unknown): Promise<string> {
  const message = messageOf(error);
  if (error instanceof StatementFault) return message;
  const memory = explainMemory(message);
  if (memory !== undefined) return memory;
  if (NO_OBJECT.test(message)) return explainRecords(connection, file);
  if (file.format === 'csv' || file.format === 'tsv') return explainSeparated(connection, file, message);
  return file.format === 'parquet' ? `The file is not what .parquet says. ${ownWords(message)}` : explainJson(message);
}

/** The first row that is no object. */
async function explainRecords(connection: DuckDBConnection, { path, format }: EngineFile): Promise<string> {
  const layout = format === 'jsonl' ? 'newline_delimited' : 'auto';
  const source = `read_json_objects(${literal(path)}, format = '${layout}', maximum_object_size = ${ROW_BYTES_MAX})`;
  const others = "FILTER (WHERE kind NOT IN ('OBJECT', 'NULL'))";
  const reader = await connection.runAndReadAll(
    `SELECT count(*), min(n) ${others}, min_by(kind, n) ${others} ` +
      `FROM (SELECT row_number() OVER () AS n, json_type(json) AS kind FROM ${source})`,
  );
  const [rows, at, kind] = reader.getRows()[0] ?? [];
  if (Number(rows ?? 0) === 0) return 'Each row must be a JSON object, and the file must hold at least one.';
  if (at === null) return 'The rows have no columns: each JSON object is empty.';
  const found = KINDS.get(String(kind)) ?? 'a number';
  return `Each row must be a JSON object, but row ${Number(at)} is ${found}.`;
}

function explainJson(message: string): string {
  const [, byte, unit = '', number, reason = ''] =
    /Malformed JSON.*? at byte (\d+) in (\S+) (\d+): (.*?)\.? *(?:\n|$|Try )/.exec(message) ?? [];
  if (number !== undefined) {
    // The engine has counted the value it fails at already.
    const where = `${unit === 'line' ? 'line' : 'value'} ${Math.max(1, Number(number) - 1)}`;
    return `What stands in ${where} is no valid JSON at byte ${byte}: ${reason}.`;
  }
  if (message.includes('maximum_object_size')) return `A row is longer than ${ROW_BYTES_MAX / MIB} MiB; shorten it.`;
  const [, line, key = ''] = /in (?:line|record\/value) (\d+): Object .* has duplicate key "(.*)"/s.exec(message) ?? [];
  if (line !== undefined) return `An object in row ${line} has a duplicate key: ${key}.`;
  const [, name] = /Duplicate name "(.*)" in struct/s.exec(message) ?? [];
  if (name !== undefined) return `An object has two keys that differ in case alone: ${name}.`;
  return `The file cannot be read as JSON. ${ownWords(message)}`;
}

async function explainSeparated(connection: DuckDBConnection, file: EngineFile, told: string): Promise<string> {
  const message = (await faultOfParsing(connection, file)) ?? told;
  const line = /CSV Error on Line: (\d+)/.exec(message)?.[1];
  const [, expected, found] = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message) ?? [];
  if (expected !== undefined)
    return `Line ${line} has another number of fields, ${found}, than the header, ${expected}.`;
  if (/unterminated quote/.test(message))
    return `A quote is not closed, or text follows its end: it opens in line ${line}.`;
  if (line !== undefined && /^Maximum line size/m.test(message))
    return `Line ${line} is longer than ${LINE_BYTES_MAX / MIB} MiB; shorten it.`;
  if (file.mixedLineEnds === true) return 'Lines end in more than one way (LF, CR LF, CR); let all of them end in LF.';
  const where = line === undefined ? '' : ` Line ${line} is the first.`;
  return `Rows differ in their number of fields from the header, or a quote is not closed.${where}`;
}

/** Where the rows stop fitting the header: the engine does not tell while it still looks for types. */
async function faultOfParsing(connection: DuckDBConnection, file: EngineFile): Promise<string | undefined> {
  const { path, delimiter = ',', fields, emptyLines = 0 } = file;
  if (fields === undefined || fields > COLUMNS_MAX) return undefined;
  const columns = Array.from({ length: fields }, (_, index) => `'c${index}': 'VARCHAR'`).join(', ');
  try {
    await connection.run(
      `SELECT count(*) FROM read_csv(${literal(path)}, columns = {${columns}}, auto_detect = false, delim = ${literal(delimiter)}, ` +
        `quote = '"', escape = '"', comment = '', header = true, skip = ${emptyLines}, strict_mode = true, max_line_size = ${LINE_BYTES_MAX}, buffer_size = ${2 * LINE_BYTES_MAX})`,
    );
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** What lies in none of the files alone, such as values that fit each file and not the other ones. */
async function explainTogether(
  connection: DuckDBConnection,
  files: readonly EngineFile[],
  message: string,
): Promise<string> {
  if (!/\bcast/.test(message)) return explainMemory(message) ?? ownWords(message);
  const types = new Map<string, ColumnIn[]>();
  for (const index of files.keys()) {
    for (const { name, type } of await columnsOf(connection, `file_${index}`)) {
      const key = name.toLowerCase();
      types.set(key, [...(types.get(key) ?? []), { name, type, file: index + 1 }]);
    }
  }
  for (const found of types.values()) {
    const [first] = found;
    if (first === undefined || found.every(({ type }) => type === first.type) || (await goTogether(connection, found)))
      continue;
    const others = found.filter(({ type }, index) => found.findIndex((other) => other.type === type) === index);
    const told = others.slice(0, 3).map(({ type, file }) => `${clip(type, TYPE_SHOWN)} in file ${file}`);
    const where = `it is ${told.join(', ')}`;
    return `The files do not agree on the column ${clip(first.name, TYPE_SHOWN)}: ${where}. Give it one type in all of them.`;
  }
  return ownWords(message);
}

interface ColumnIn {
  readonly name: string;
  readonly type: string;
  readonly file: number;
}

/** Whether the values of one column have a type that fits them all. */
async function goTogether(connection: DuckDBConnection, found: readonly ColumnIn[]): Promise<boolean> {
  const all = found
    .map(({ name, file }) => `SELECT ${identifier(name)} AS v FROM file_${file - 1}`)
    .join(' UNION ALL ');
  return connection.run(`SELECT max(hash(v)) FROM (${all})`).then(
    () => true,
    () => false,
  );
}

function explainMemory(message: string): string | undefined {
  if (!message.startsWith('Out of Memory')) return undefined;
  return 'The file needs more memory than one file may use; use shorter rows.';
}

function ownWords(message: string): string {
  return message
    .replaceAll(/ ?(?:(?:in|from|of) )?(?:Parquet )?[Ff]ile (?:"[^"]*"|'[^']*'),?/g, '')
    .replace(/^[A-Z][A-Za-z ]*Error: /, '')
    .replace(/,? ?\bTry\b.*$/s, '');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
