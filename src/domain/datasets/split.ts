import { AppError } from '../../kernel/errors.ts';
import { ROW_IDENTITY } from './dataset-engine.ts';
import { contentDigest, quoted, unusedName } from './row-content.ts';
import type { ContentColumn } from './row-content.ts';

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

/** How rows are parted: a statement for `writeSelect` that adds a flag, a free name, and keeps their order. */
export interface Parting {
  readonly statement: (columns: readonly ContentColumn[], flag: string) => PartingStatement;
  /** Whether contents can stand on both sides. */
  readonly mayOverlap: boolean;
}

export interface PartingStatement {
  readonly tables: Readonly<Record<string, string>>;
  readonly select: string;
}

/** A name for the column that says which rows are for evaluation; none of the rows' own. */
export function splitFlag(columns: readonly string[]): string {
  return unusedName(
    'split_is_eval',
    columns.map((name) => ({ name })),
  );
}

/** The SELECT of one side of parted rows. */
export function sideSelect(flag: string, side: SplitSide): string {
  return `SELECT * EXCLUDE (${flag}) FROM t WHERE ${side === 'eval' ? '' : 'NOT '}${flag}`;
}

/** The SELECT that counts contents which stand on both sides of parted rows. */
export function overlapSelect(flag: string, columns: readonly ContentColumn[]): string {
  return `SELECT count(*) AS overlap FROM (SELECT 1 FROM t GROUP BY ${contentDigest(columns)} HAVING bool_or(${flag}) AND NOT bool_and(${flag}))`;
}

/** Rows are numbered from 1 without gaps, in their order. The columns of a file are first known when it is read. */
export function parting(split: SplitOptions, seed: string): Parting {
  return {
    statement: (columns, flag) => {
      checkSplit(
        split,
        columns.map(({ name }) => name),
      );
      return {
        tables: { keyed: keyedSelect(split, columns), chosen: chosenSelect(split, seed), placed: placedSelect(split) },
        select: `SELECT t.*, placed.is_eval AS ${flag} FROM t POSITIONAL JOIN placed WHERE placed.is_eval IS NOT NULL`,
      };
    },
    mayOverlap: !split.deduplicate,
  };
}

/** What decides about a row: its group and its stratum. Without groups each row is one. */
function keyedSelect(split: SplitOptions, columns: readonly ContentColumn[]): string {
  const group = split.groupBy.length === 0 ? ROW_IDENTITY : groupKey(split.groupBy);
  const stratum = split.stratifyBy === undefined ? `''` : groupKey([split.stratifyBy]);
  const kept = split.deduplicate
    ? ` WHERE ${ROW_IDENTITY} IN (SELECT min(${ROW_IDENTITY}) FROM t GROUP BY ${contentDigest(columns)})`
    : '';
  return `SELECT ${ROW_IDENTITY} AS row_at, ${group} AS split_group, ${stratum} AS split_stratum FROM t${kept}`;
}

/**
 * Ranks whole groups within their stratum and hands the first ones to evaluation until its share is reached. A group
 * goes to evaluation when most of it lies within the share. What a share has beyond whole rows is carried from stratum
 * to stratum, so that many small ones give as much as one large one. Shares are counted in hundredths of a row.
 */
function chosenSelect({ groupBy, stratifyBy, position, evalPercent }: SplitOptions, seed: string): string {
  const order = {
    head: 'first_row',
    tail: 'first_row DESC',
    random: `md5_number('${seed}' || CAST(split_group AS VARCHAR))`,
  }[position];
  const stratum = stratifyBy === undefined ? `''` : 'arg_min(split_stratum, row_at)';
  const grouped =
    groupBy.length === 0
      ? 'SELECT split_group, split_stratum AS stratum, 1 AS size, row_at AS first_row FROM keyed'
      : `SELECT split_group, ${stratum} AS stratum, count(*) AS size, min(row_at) AS first_row FROM keyed GROUP BY split_group`;
  return `WITH grouped AS (${grouped}),
strata AS (SELECT stratum, sum(size)::BIGINT AS rows_all FROM grouped GROUP BY stratum),
shares AS (SELECT stratum, rows_all * ${evalPercent} AS share, (sum(rows_all) OVER (ORDER BY md5_number('${seed}' || stratum), stratum ROWS UNBOUNDED PRECEDING) - rows_all)::BIGINT * ${evalPercent} AS share_before FROM strata),
ranked AS (SELECT *, (sum(size) OVER (PARTITION BY stratum ORDER BY ${order}, split_group ROWS UNBOUNDED PRECEDING) - size)::BIGINT AS rows_before FROM grouped)
SELECT split_group, first_row, rows_before * 100 + size * 50 <= share + share_before - 100 * ((share_before + 50) // 100) AS wanted
FROM ranked JOIN shares USING (stratum)`;
}

/** One flag for each row of `t`, in their order, null for a row that is left out; two groups never share a side. */
function placedSelect({ position }: SplitOptions): string {
  const [first, last] = position === 'tail' ? ['max', 'min'] : ['min', 'max'];
  return `WITH settled AS (SELECT split_group, CASE WHEN (SELECT count(*) FROM chosen) < 2 THEN false
  WHEN NOT (SELECT bool_or(wanted) FROM chosen) THEN split_group = (SELECT arg_${first}(split_group, first_row) FROM chosen)
  WHEN (SELECT bool_and(wanted) FROM chosen) THEN split_group <> (SELECT arg_${last}(split_group, first_row) FROM chosen)
  ELSE wanted END AS is_eval FROM chosen),
sided AS (SELECT row_at, is_eval FROM keyed JOIN settled USING (split_group))
SELECT sided.is_eval FROM t LEFT JOIN sided ON t.${ROW_IDENTITY} = sided.row_at ORDER BY t.${ROW_IDENTITY}`;
}

function groupKey(columns: readonly string[]): string {
  return `to_json([${columns.map((column) => `CAST(${quoted(column)} AS VARCHAR)`).join(', ')}])::VARCHAR`;
}
