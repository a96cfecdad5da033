import type { DuckDBConnection } from '@duckdb/node-api';
import { isNested } from './common-types.ts';
import { identifier, literal } from './engine-database.ts';
import type { EngineTask } from './protocol.ts';
import { describe } from './write-tasks.ts';
import type { ColumnType } from './write-tasks.ts';

/** Writes `t` as one file of the format. */
export async function exportTable(
  connection: DuckDBConnection,
  { format, target, identity }: Extract<EngineTask, { readonly kind: 'export' }>,
): Promise<string> {
  const all = await describe(connection, 't');
  const columns = all.filter(({ name }) => name !== identity);
  const infinite = format === 'jsonl' ? await columnsWithInfinite(connection, columns) : new Set<ColumnType>();
  const select = columns.map((column) => {
    const name = identifier(column.name);
    return `${expressionOf(column, format, infinite.has(column))} AS ${name}`;
  });
  const options = { jsonl: 'FORMAT json', csv: 'FORMAT csv, HEADER true', parquet: 'FORMAT parquet, COMPRESSION zstd' };
  await connection.run(
    `COPY (SELECT ${select.join(', ')} FROM t) TO ${literal(target)} (${options[format]}, USE_TMP_FILE false)`,
  );
  return 'null';
}

/** JSON has no numbers that are none, and separated values have no nesting. */
function expressionOf({ name, type }: ColumnType, format: 'jsonl' | 'csv' | 'parquet', isInfinite: boolean): string {
  const column = identifier(name);
  if (format === 'parquet') return column;
  const isJson = type === 'JSON' || isNested(type);
  if (format === 'csv') return isJson ? `CAST(${finiteJson(column, type)} AS VARCHAR)` : column;
  if (/^(?:DOUBLE|FLOAT)$/.test(type)) {
    return `CASE WHEN isnan(${column}) THEN to_json('NaN') WHEN NOT isinf(${column}) THEN to_json(${column}) WHEN ${column} > 0 THEN to_json('Infinity') WHEN ${column} < 0 THEN to_json('-Infinity') END`;
  }
  return isInfinite ? finiteJson(column, type) : column;
}

/** The columns in which a number is none. To write others as JSON of our own making costs many times a row's size. */
async function columnsWithInfinite(
  connection: DuckDBConnection,
  columns: readonly ColumnType[],
): Promise<ReadonlySet<ColumnType>> {
  const looked = columns.filter(({ type }) => type === 'JSON' || (isNested(type) && /JSON|DOUBLE|FLOAT/.test(type)));
  if (looked.length === 0) return new Set();
  const facts = looked.map(({ name, type }) => {
    const { text, outside } = jsonOf(identifier(name), type);
    return `bool_or(CASE WHEN ${mayBeInfinite(text)} THEN ${mayBeInfinite(outside)} ELSE false END)`;
  });
  const [found = []] = (await connection.runAndReadAll(`SELECT ${facts.join(', ')} FROM t`)).getRows();
  return new Set(looked.filter((_column, index) => found[index] === true));
}

/** The column as JSON, with numbers that are none as text; only the rows that hold one are taken apart. */
function finiteJson(column: string, type: string): string {
  const { json, text, outside } = jsonOf(column, type);
  const tokens = `regexp_extract_all(${text}, '(?s)"(?:[^"\\\\]|\\\\.)*"|-?(?:NaN|Infinity)|[^"NI-]+|.')`;
  const quoted = `list_transform(${tokens}, token -> CASE WHEN token IN ('NaN', 'Infinity', '-Infinity') THEN '"' || token || '"' ELSE token END)`;
  const finite = `CAST(array_to_string(${quoted}, '') AS JSON)`;
  return `CASE WHEN ${mayBeInfinite(text)} THEN CASE WHEN ${mayBeInfinite(outside)} THEN ${finite} ELSE ${json} END ELSE ${json} END`;
}

interface JsonExpressions {
  readonly json: string;
  readonly text: string;
  /** What stands outside of its texts. */
  readonly outside: string;
}

function jsonOf(column: string, type: string): JsonExpressions {
  const json = type === 'JSON' ? column : `to_json(${column})`;
  const text = `CAST(${json} AS VARCHAR)`;
  return { json, text, outside: `regexp_replace(${text}, '(?s)"(?:[^"\\\\]|\\\\.)*"', '', 'g')` };
}

function mayBeInfinite(text: string): string {
  return `contains(${text}, 'NaN') OR contains(${text}, 'Infinity')`;
}
