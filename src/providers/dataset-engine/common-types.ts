import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier } from './engine-database.ts';
import type { EngineFile } from './protocol.ts';
import { columnsOf } from './write-tasks.ts';

/** Types of a file's columns, by the names they have there. */
export type ColumnTypes = ReadonlyMap<string, string>;

/** The table that one of several files is read into. */
export function tableOf(index: number): string {
  return `file_${index}`;
}

interface ColumnIn {
  readonly file: number;
  readonly name: string;
  readonly type: string;
}

const NUMBER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const DAY_OR_INSTANT = /^(?:DATE|TIMESTAMP.*)$/;
/** What a reader takes from text alone. */
const TEXT = /^(?:VARCHAR|UUID|TIME|DATE|TIMESTAMP.*)$/;
/** What a reader says of a column in which it has seen no value. */
const OF_NOTHING = new Set(['JSON', 'VARCHAR']);

/**
 * Types are looked for in each file by itself, so a column can have one in one file and another in the next. Answers, for
 * each file that has to be read once more, the types that its columns then have: those that a reader of all rows would
 * have found. A column without any value in a file takes the type it has elsewhere.
 */
export async function commonTypes(
  connection: DuckDBConnection,
  files: readonly EngineFile[],
): Promise<ReadonlyMap<number, ColumnTypes>> {
  const columns = new Map<string, ColumnIn[]>();
  for (const file of files.keys()) {
    for (const { name, type } of await columnsOf(connection, tableOf(file))) {
      const key = name.toLowerCase();
      columns.set(key, [...(columns.get(key) ?? []), { file, name, type }]);
    }
  }
  const again = new Map<number, Map<string, string>>();
  for (const found of columns.values()) {
    if (new Set(found.map(({ type }) => type)).size < 2) continue;
    const empty = new Set<ColumnIn>();
    for (const column of found) if (await isEmpty(connection, column)) empty.add(column);
    const filled = found.filter((column) => !empty.has(column));
    const isAllJson = found.every(({ file }) => files[file]?.format.startsWith('json'));
    const common = commonType(new Set(filled.map(({ type }) => type)), isAllJson);
    for (const { file, name, type } of found) {
      if (common === undefined || common === type || files[file]?.format === 'parquet') continue;
      again.set(file, (again.get(file) ?? new Map<string, string>()).set(name, common));
    }
  }
  return again;
}

/** Undefined where the engine itself finds the type that holds all, such as the wider of two numbers. */
function commonType(types: ReadonlySet<string>, isAllJson: boolean): string | undefined {
  const all = [...types];
  const [first, second] = all;
  if (second === undefined) return first ?? 'VARCHAR';
  if ([NUMBER, DAY_OR_INSTANT].some((kind) => all.every((type) => kind.test(type)))) return undefined;
  if (all.every(isNested)) return undefined;
  return isAllJson && !all.every((type) => TEXT.test(type)) ? 'JSON' : 'VARCHAR';
}

export function isNested(type: string): boolean {
  return /^(?:STRUCT|MAP)\b/.test(type) || type.endsWith(']');
}

async function isEmpty(connection: DuckDBConnection, { file, name, type }: ColumnIn): Promise<boolean> {
  if (!OF_NOTHING.has(type)) return false;
  const reader = await connection.runAndReadAll(`SELECT count(${identifier(name)}) FROM ${tableOf(file)}`);
  return Number(reader.getRows()[0]?.[0]) === 0;
}
