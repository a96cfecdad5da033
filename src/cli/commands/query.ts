import { counted } from '../../kernel/counted.ts';
import { table } from '../../kernel/terminal.ts';
import type { Session } from './session.ts';

export interface QueryOptions {
  readonly cell?: string;
  readonly limit?: string;
}

const CELL_WIDTH = 60;

/** Runs one SELECT over the rows of a version, which it calls `t`. */
export async function queryDataset(
  { terminal, json, connect }: Session,
  { dataset, sql }: { readonly dataset: string; readonly sql: string },
  { cell, limit }: QueryOptions,
): Promise<void> {
  const { tools } = await connect();
  const answer = await tools.call('query_dataset', {
    dataset,
    sql,
    ...(cell !== undefined && { cell }),
    ...(limit !== undefined && { limit: Number(limit) }),
  });
  if (json) {
    terminal.out(JSON.stringify(answer));
    return;
  }
  const names = answer.columns.map(({ name }) => name);
  const rows = answer.rows.map((row) => names.map((name) => textOf(row[name])));
  terminal.out(table([names, ...rows]));
  terminal.remark(
    `${counted(answer.n, 'row')} of version ${answer.version}${answer.truncated ? '; there are more' : ''}`,
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/g, ' ');
  return text.length > CELL_WIDTH ? `${text.slice(0, CELL_WIDTH - 1)}…` : text;
}
