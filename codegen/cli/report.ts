import { join, relative } from 'node:path';
import { formatDiagnostic } from '../load/diagnostics.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Loss } from '../project/loss.ts';
import { palette } from './io.ts';
import type { Io } from './io.ts';

/** One line per finding, with a path that a terminal can open. */
export function printDiagnostics(diagnostics: readonly Diagnostic[], schemas: string, io: Io): void {
  const { red, yellow, dim } = palette(io.color);
  const folder = relative(io.cwd, schemas) || '.';
  let text = '';
  for (const diagnostic of diagnostics) {
    const place = { ...diagnostic.position, file: join(folder, diagnostic.position.file) };
    const paint = diagnostic.level === 'error' ? red : diagnostic.level === 'warning' ? yellow : dim;
    text += `${paint(diagnostic.level)} ${formatDiagnostic({ ...diagnostic, position: place })}\n`;
  }
  // In one piece: a write of its own for each of a thousand lines takes longer than finding them.
  if (text !== '') io.err(text);
}

export function countLine(diagnostics: readonly Diagnostic[]): string {
  const count = (level: Diagnostic['level']): number => diagnostics.filter((one) => one.level === level).length;
  return `${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}`;
}

/** How much of the contracts the published schemas do not tell. */
export function printLosses(losses: readonly Loss[], io: Io): void {
  if (losses.length === 0) return;
  const { dim } = palette(io.color);
  const byKeyword = new Map<string, number>();
  for (const { keyword } of losses) byKeyword.set(keyword, (byKeyword.get(keyword) ?? 0) + 1);
  const list = [...byKeyword].map(([keyword, count]) => `${keyword} ${count}`).join(', ');
  io.err(
    `${dim(`Published inputs leave out ${plural(losses.length, 'detail')} that the server still checks (${list}); --json lists them.`)}\n`,
  );
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function printJson(value: unknown, io: Io): void {
  io.out(`${JSON.stringify(value, null, 2)}\n`);
}
