import { DAY_MS } from '../../kernel/duration.ts';

const WEEK_MS = 7 * DAY_MS;
/** A Monday, as weeks begin on one. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The spans received in one week; the table that holds them has its name from the day it begins. */
export interface SpanWeek {
  readonly table: string;
  readonly from: Date;
  /** Not part of it. */
  readonly until: Date;
}

export function weekOf(at: Date): SpanWeek {
  const from = Math.floor((at.getTime() - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
  const day = new Date(from).toISOString().slice(0, 10).replaceAll('-', '');
  return { table: `spans_w${day}`, from: new Date(from), until: new Date(from + WEEK_MS) };
}

/** The week a table holds; undefined for a table of another name. */
export function weekOfTable(table: string): SpanWeek | undefined {
  const [, year, month, day] = /^spans_w(\d{4})(\d{2})(\d{2})$/.exec(table) ?? [];
  if (year === undefined) return undefined;
  return weekOf(new Date(`${year}-${month}-${day}T00:00:00Z`));
}
