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

/** How rows are parted: a SELECT over them that adds a flag, named by `splitFlag`, in the order of the rows. */
export interface Parting {
  readonly select: (columns: readonly string[]) => string;
  /** Whether contents can stand on both sides. */
  readonly mayOverlap: boolean;
}

/** A name for the column that says which rows are for evaluation; none of the rows' own. */
export function splitFlag(columns: readonly string[]): string {
  const taken = new Set(columns.map((column) => column.toLowerCase()));
  let name = 'split_is_eval';
  while (taken.has(name)) name += '_';
  return name;
}

/** The SELECT of one side of parted rows. */
export function sideSelect(flag: string, side: SplitSide): string {
  return `SELECT * EXCLUDE (${flag}) FROM t WHERE ${side === 'eval' ? '' : 'NOT '}${flag}`;
}

/** The SELECT that counts contents which stand on both sides of parted rows. */
export function overlapSelect(flag: string, columns: readonly string[]): string {
  return `SELECT count(*) AS overlap FROM (SELECT ${contentKey(columns)} AS content FROM t GROUP BY content HAVING bool_or(${flag}) AND NOT bool_and(${flag}))`;
}

export function parting(split: SplitOptions, seed: string): Parting {
  return { select: (columns) => partedSelect(split, seed, columns), mayOverlap: !split.deduplicate };
}

/**
 * Ranks whole groups within their stratum and hands the first ones to evaluation until its share is reached. A group
 * goes to evaluation when most of it lies within the share; one group of each side always exists when there are two.
 * Only numbers and keys are ranked; the rows themselves are read once, in the end.
 */
function partedSelect(split: SplitOptions, seed: string, columns: readonly string[]): string {
  const group = split.groupBy.length === 0 ? ROW_IDENTITY : groupKey(split.groupBy);
  const stratum = split.stratifyBy === undefined ? `''` : `coalesce(CAST(${quoted(split.stratifyBy)} AS VARCHAR), '')`;
  const kept = split.deduplicate
    ? ` WHERE ${ROW_IDENTITY} IN (SELECT min(${ROW_IDENTITY}) FROM t GROUP BY ${contentKey(columns)})`
    : '';
  const order = {
    head: 'first_row',
    tail: 'first_row DESC',
    random: `md5_number('${seed}' || CAST(split_group AS VARCHAR))`,
  }[split.position];
  return `WITH keyed AS (SELECT ${ROW_IDENTITY} AS row_at, ${group} AS split_group, ${stratum} AS split_stratum FROM t${kept}),
grouped AS (SELECT split_group, arg_min(split_stratum, row_at) AS stratum, count(*) AS size, min(row_at) AS first_row FROM keyed GROUP BY split_group),
ranked AS (SELECT *, sum(size) OVER strata_order - size AS rows_before, sum(size) OVER (PARTITION BY stratum) AS rows_all FROM grouped WINDOW strata_order AS (PARTITION BY stratum ORDER BY ${order}, split_group ROWS UNBOUNDED PRECEDING)),
chosen AS (SELECT split_group, first_row, rows_before + size / 2.0 <= rows_all * ${split.evalPercent} / 100.0 AS wanted FROM ranked),
settled AS (SELECT split_group, CASE WHEN (SELECT count(*) FROM chosen) < 2 THEN false
  WHEN NOT (SELECT bool_or(wanted) FROM chosen) THEN split_group = (SELECT arg_${split.position === 'tail' ? 'max' : 'min'}(split_group, first_row) FROM chosen)
  WHEN (SELECT bool_and(wanted) FROM chosen) THEN split_group <> (SELECT arg_${split.position === 'tail' ? 'min' : 'max'}(split_group, first_row) FROM chosen)
  ELSE wanted END AS is_eval FROM chosen),
placed AS (SELECT row_at, is_eval FROM keyed JOIN settled USING (split_group))
SELECT t.*, placed.is_eval AS ${splitFlag(columns)} FROM t JOIN placed ON t.${ROW_IDENTITY} = placed.row_at ORDER BY ${ROW_IDENTITY}`;
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
  if (parts.length > 0) return `md5_number(coalesce(${parts.join(', ')}))`;
  return `md5_number(to_json([${columns.map(text).join(', ')}])::VARCHAR)`;
}

function text(column: string): string {
  return `CAST(${quoted(column)} AS VARCHAR)`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
