import type { Diagnostic } from '../model/diagnostic.ts';

/** `file:line:column rule-id: sentence. Remedy.` */
export function formatDiagnostic({ position, rule, message, remedy }: Diagnostic): string {
  const place = `${position.file}:${position.line}:${position.column}`;
  return `${place} ${rule}: ${message}${remedy === undefined ? '' : ` ${remedy}`}`;
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** By file, line, column, rule and message, the same on every locale; doubles are dropped. */
export function sortDiagnostics(diagnostics: Iterable<Diagnostic>): Diagnostic[] {
  const byText = new Map<string, Diagnostic>();
  for (const diagnostic of diagnostics) byText.set(formatDiagnostic(diagnostic), diagnostic);
  return [...byText.values()].sort(
    (left, right) =>
      compareText(left.position.file, right.position.file) ||
      left.position.line - right.position.line ||
      left.position.column - right.position.column ||
      compareText(left.rule, right.rule) ||
      compareText(left.message, right.message),
  );
}
