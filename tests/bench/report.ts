/** A Markdown table, also readable in a terminal. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(cells[0] ?? []), rule, ...cells.slice(1).map(line)].join('\n');
}

export const short = (ratio: number): string => (ratio >= 0.1 ? ratio.toFixed(2) : ratio.toFixed(3));

export interface Goal {
  readonly what: string;
  readonly wanted: string;
  readonly got: string;
  readonly met: boolean;
}

export const atLeast = (what: string, got: number, wanted: number): Goal => ({
  what,
  wanted: `≥ ${String(wanted)}`,
  got: short(got),
  met: got >= wanted,
});
export const atMost = (what: string, got: number, wanted: number): Goal => ({
  what,
  wanted: `≤ ${String(wanted)}`,
  got: short(got),
  met: got <= wanted,
});

export const goalTable = (goals: readonly Goal[]): string =>
  table(
    ['goal', 'wanted', 'got', 'met'],
    goals.map(({ what, wanted, got, met }) => [what, wanted, got, met ? 'yes' : 'no']),
  );
