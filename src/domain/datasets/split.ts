import { AppError } from '../../kernel/errors.ts';
import { ROW_IDENTITY } from './dataset-engine.ts';

/** How one set of rows becomes a training and an evaluation dataset. */
export interface SplitOptions {
  readonly evalPercent: number;
  /** Which rows become evaluation rows. */
  readonly position: 'head' | 'tail' | 'random';
  /** Rows that are equal in all these columns stay together. */
  readonly groupBy: readonly string[];
  /** The shares of this column's values are kept on both sides. */
  readonly stratifyBy?: string;
  /** Keep only the first of rows with equal content. */
  readonly deduplicate: boolean;
}

export type SplitSide = 'train' | 'eval';

/** Refuses columns the rows will not have. */
export function checkSplit(split: SplitOptions, columns: readonly string[]): void {
  const named = [
    ...split.groupBy.map((column) => ({ field: 'split.group_by', column })),
    ...(split.stratifyBy === undefined ? [] : [{ field: 'split.stratify_by', column: split.stratifyBy }]),
  ];
  const wrong = named.find(({ column }) => !columns.includes(column));
  if (wrong === undefined) return;
  throw new AppError('invalid_input', `The rows have no column ${wrong.column}; choose among ${columns.join(', ')}.`, {
    fields: { [wrong.field]: 'is not a column of the rows' },
  });
}

/** One side of a query that adds `split_is_eval` to the rows. */
export function sideSelect(sides: string, side: SplitSide): string {
  return `${sides} SELECT * EXCLUDE (split_is_eval) FROM sides WHERE ${side === 'eval' ? '' : 'NOT '}split_is_eval ORDER BY ${ROW_IDENTITY}`;
}

/** The SELECT that counts contents which stand on both sides. */
export function overlapSelect(sides: string, columns: readonly string[]): string {
  const content = contentKey(columns);
  return `${sides} SELECT count(*) AS overlap FROM (SELECT ${content} AS content FROM sides GROUP BY content HAVING bool_or(split_is_eval) AND NOT bool_and(split_is_eval))`;
}

/**
 * Ranks whole groups within their stratum and hands the first ones to evaluation until its share is reached. A group
 * goes to evaluation when most of it lies within the share; one group of each side always exists when there are two.
 */
export function sidesQuery(split: SplitOptions, seed: string, columns: readonly string[]): string {
  const group = split.groupBy.length === 0 ? `CAST(${ROW_IDENTITY} AS VARCHAR)` : groupKey(split.groupBy);
  const stratum = split.stratifyBy === undefined ? `''` : `coalesce(CAST(${quoted(split.stratifyBy)} AS VARCHAR), '')`;
  const kept = split.deduplicate
    ? `SELECT * FROM t QUALIFY row_number() OVER (PARTITION BY ${contentKey(columns)} ORDER BY ${ROW_IDENTITY}) = 1`
    : 'SELECT * FROM t';
  const order = { head: 'first_row', tail: 'first_row DESC', random: `sha256('${seed}' || split_group)` }[
    split.position
  ];
  return `WITH kept AS (${kept}),
keyed AS (SELECT *, ${group} AS split_group, ${stratum} AS split_stratum FROM kept),
grouped AS (SELECT split_group, arg_min(split_stratum, ${ROW_IDENTITY}) AS stratum, count(*) AS size, min(${ROW_IDENTITY}) AS first_row FROM keyed GROUP BY split_group),
ranked AS (SELECT *, sum(size) OVER strata_order - size AS rows_before, sum(size) OVER (PARTITION BY stratum) AS rows_all FROM grouped WINDOW strata_order AS (PARTITION BY stratum ORDER BY ${order}, split_group ROWS UNBOUNDED PRECEDING)),
chosen AS (SELECT split_group, first_row, rows_before + size / 2.0 <= rows_all * ${split.evalPercent} / 100.0 AS wanted FROM ranked),
settled AS (SELECT split_group, CASE WHEN (SELECT count(*) FROM chosen) < 2 THEN false
  WHEN NOT (SELECT bool_or(wanted) FROM chosen) THEN split_group = (SELECT arg_${split.position === 'tail' ? 'max' : 'min'}(split_group, first_row) FROM chosen)
  WHEN (SELECT bool_and(wanted) FROM chosen) THEN split_group <> (SELECT arg_${split.position === 'tail' ? 'min' : 'max'}(split_group, first_row) FROM chosen)
  ELSE wanted END AS is_eval FROM chosen),
sides AS (SELECT keyed.* EXCLUDE (split_group, split_stratum), settled.is_eval AS split_is_eval FROM keyed JOIN settled USING (split_group))`;
}

function groupKey(columns: readonly string[]): string {
  return `to_json([${columns.map((column) => `CAST(${quoted(column)} AS VARCHAR)`).join(', ')}])::VARCHAR`;
}

/** What makes two rows the same example; the same rule as the quality review's. */
function contentKey(columns: readonly string[]): string {
  const parts: string[] = [];
  if (columns.includes('messages')) parts.push(text('messages'));
  if (columns.includes('input')) {
    parts.push(`to_json([${text('input')}, ${columns.includes('output') ? text('output') : 'NULL'}])::VARCHAR`);
  }
  if (parts.length > 0) return `sha256(coalesce(${parts.join(', ')}))`;
  return `sha256(to_json([${columns.map(text).join(', ')}])::VARCHAR)`;
}

function text(column: string): string {
  return `CAST(${quoted(column)} AS VARCHAR)`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
