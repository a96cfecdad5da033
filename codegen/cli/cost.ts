import { checkTree, hasErrors } from './compile-tree.ts';
import type { ExitCode, Io } from './io.ts';
import type { Options } from './options.ts';
import { printDiagnostics, printJson } from './report.ts';

/** Prints what the catalogue costs. Contracts with errors have no cost to tell. */
export async function cost(options: Options, io: Io): Promise<ExitCode> {
  const { diagnostics, parts } = await checkTree(options.schemas);
  if (parts === undefined || hasErrors(diagnostics)) {
    if (options.json) printJson({ ok: false, diagnostics }, io);
    else printDiagnostics(diagnostics, options.schemas, io);
    return 1;
  }
  const { costOf, SEGMENTS } = await import('../cost.ts');
  const costs = costOf(parts.model, parts.projection);
  if (options.json) {
    printJson({ ok: true, ...costs }, io);
    return 0;
  }
  const rows = costs.tools.map(({ name, segments, shown, whole }) => [
    name,
    ...SEGMENTS.map((segment) => segments[segment].tokens),
    shown.tokens,
    whole.tokens,
    whole.bytes,
  ]);
  const total = SEGMENTS.map((segment) => costs.tools.reduce((sum, { segments }) => sum + segments[segment].tokens, 0));
  rows.push(['total', ...total, costs.shown.tokens, costs.whole.tokens, costs.whole.bytes]);
  io.out(table([['tool', ...SEGMENTS, 'shown', 'whole', 'bytes'], ...rows]));
  io.out(
    `\nTokens are o200k; shown = name, description and input of the account listing. Mean shown: ${costs.meanShownTokens}. Instructions: ${costs.instructions.tokens} tokens.\n`,
  );
  return 0;
}

function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? '').length)));
  const line = (row: readonly (string | number)[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? String(cell).padEnd(widths[column] ?? 0) : String(cell).padStart(widths[column] ?? 0),
      )
      .join('  ');
  return `${rows.map(line).join('\n')}\n`;
}
