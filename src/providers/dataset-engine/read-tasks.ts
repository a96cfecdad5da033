import type { DuckDBConnection, DuckDBResult, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { clip } from '../../kernel/bounded.ts';
import { toJson, typeName } from './json-values.ts';
import type { ValueBounds } from './json-values.ts';
import { StatementFault } from './statement-guard.ts';
import { numberFields } from './struct-fields.ts';

const COLUMNS_MAX = 200;
const NAME_MAX = 255;
const DEPTH_MAX = 16;

/** Tighter and tighter bounds for a first row that does not fit; the last one always does for 200 columns. */
const STEPS = [
  { textLength: 12_000, items: 1_000 },
  { textLength: 2_000, items: 100 },
  { textLength: 400, items: 20 },
  { textLength: 60, items: 3 },
];

interface Column {
  readonly name: string;
  readonly type: DuckDBType;
}

export interface QueryBounds {
  readonly limit: number;
  readonly maxTextLength: number;
  readonly maxBytes: number;
}

/** Runs a guarded statement and keeps as much of its answer as the bounds allow. */
export async function readAnswer(connection: DuckDBConnection, sql: string, bounds: QueryBounds): Promise<string> {
  const result = await connection.stream(sql);
  const columns = columnsOf(result);
  const rows: string[] = [];
  let truncated = false;
  let bytesLeft = bounds.maxBytes;
  for await (const values of rowsOf(result)) {
    if (rows.length === bounds.limit) {
      truncated = true;
      break;
    }
    const row = boundRow(values, columns, { ...bounds, bytesLeft, first: rows.length === 0 });
    truncated ||= row.cut;
    if (row.text === undefined) break;
    bytesLeft -= Buffer.byteLength(row.text) + 1;
    rows.push(row.text);
  }
  const described = columns.map(({ name, type }) => ({ name, type: clip(typeName(type), NAME_MAX) }));
  return `{"columns":${JSON.stringify(described)},"rows":[${rows.join(',')}],"truncated":${truncated}}`;
}

function columnsOf(result: DuckDBResult): readonly Column[] {
  if (result.columnCount > COLUMNS_MAX) {
    throw new StatementFault(`The answer has ${result.columnCount} columns; select at most ${COLUMNS_MAX}.`);
  }
  const taken = new Set<string>();
  return result.columnTypes().map((type, index) => ({ name: freeName(result.columnName(index), taken), type }));
}

/** Equal names would overwrite each other in a JSON object, so later ones get a number. */
function freeName(wanted: string, taken: Set<string>): string {
  const base = clip(wanted, NAME_MAX - 8);
  let name = base;
  for (let count = 1; taken.has(name); count += 1) name = `${base}_${count}`;
  taken.add(name);
  return name;
}

async function* rowsOf(result: DuckDBResult): AsyncIterable<readonly DuckDBValue[]> {
  for await (const chunk of result) {
    numberFields(chunk);
    for (let index = 0; index < chunk.rowCount; index += 1) yield chunk.getRowValues(index);
  }
}

interface RowRoom extends QueryBounds {
  readonly bytesLeft: number;
  readonly first: boolean;
}

function boundRow(
  values: readonly DuckDBValue[],
  columns: readonly Column[],
  room: RowRoom,
): { readonly text: string | undefined; readonly cut: boolean } {
  let text = '';
  for (const step of STEPS) {
    let cut = false;
    const textLength = Math.min(step.textLength, room.maxTextLength);
    const bounds: ValueBounds = { ...step, textLength, depth: DEPTH_MAX, cut: () => (cut = true) };
    text = JSON.stringify(toRow(values, columns, bounds));
    if (Buffer.byteLength(text) <= room.bytesLeft) return { text, cut };
    // A later row that does not fit ends the page; only a first one is worth shrinking.
    if (!room.first) return { text: undefined, cut: true };
  }
  return { text, cut: true };
}

function toRow(
  values: readonly DuckDBValue[],
  columns: readonly Column[],
  bounds: ValueBounds,
): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, type }, index) => [name, toJson(values[index] ?? null, type, bounds)]),
  );
}
