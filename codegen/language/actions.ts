/** Quick fixes: what `lint --fix` would write for a finding, and the likeliest name where a text has none. */
import { CodeActionKind, type CodeAction, type Diagnostic as Told, type Range } from 'vscode-languageserver/node.js';
import type { TextEdit } from '../fix/text-edits.ts';
import { LineIndex } from '../load/positions.ts';
import type { Diagnostic } from '../model/diagnostic.ts';

export interface Place {
  readonly uri: string;
  readonly text: string;
  /** The lines the editor asks about. */
  readonly range: Range;
}

/** The fixes of findings on the asked lines; `toldAs` gives a finding as the editor knows it. */
export async function quickFixes(
  place: Place,
  findings: readonly Diagnostic[],
  toldAs: (finding: Diagnostic) => Told,
): Promise<CodeAction[]> {
  const { start, end } = place.range;
  const near = findings.filter(({ position: { line } }) => line - 1 >= start.line && line - 1 <= end.line);
  const actions: CodeAction[] = [];
  for (const finding of near) {
    const fix = (await written(place.text, finding)) ?? guessed(place.text, finding);
    if (fix === undefined) continue;
    actions.push({
      title: fix.title,
      kind: CodeActionKind.QuickFix,
      diagnostics: [toldAs(finding)],
      isPreferred: fix.exact,
      edit: { changes: { [place.uri]: fix.edits.map((edit) => asEdit(place.text, edit)) } },
    });
  }
  return actions;
}

interface Offered {
  readonly title: string;
  readonly exact: boolean;
  readonly edits: readonly TextEdit[];
}

/** The fix that the rule gives. The parser that finds its place is loaded for the first one. */
async function written(text: string, { fix }: Diagnostic): Promise<Offered | undefined> {
  if (fix === undefined) return undefined;
  const { textEdits } = await import('../fix/text-edits.ts');
  const edits = textEdits(text, fix.edits);
  return edits === undefined ? undefined : { title: fix.title, exact: fix.exact, edits };
}

/** How far behind its finding a misspelt name may stand: a text is one finding at its first line. */
const REACH = 4000;

/** `Did you mean` as an edit of the first place that has the wrong name. */
function guessed(text: string, { message, remedy = '', position }: Diagnostic): Offered | undefined {
  const right = /^Did you mean `([^`]+)`\?$/u.exec(remedy)?.[1];
  const wrong = /`([^`]+)`/u.exec(message)?.[1];
  if (right === undefined || wrong === undefined) return undefined;
  const from = offsetOf(text, position.line - 1, position.column - 1);
  const word = new RegExp(`(?<![\\w-])${wrong.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')}(?![\\w-])`, 'u');
  const found = word.exec(text.slice(from, from + REACH));
  if (found === null) return undefined;
  const start = from + found.index;
  return { title: `Write \`${right}\``, exact: false, edits: [{ start, end: start + wrong.length, text: right }] };
}

function asEdit(text: string, edit: TextEdit): { readonly range: Range; readonly newText: string } {
  return { range: rangeOf(text, edit.start, edit.end), newText: edit.text };
}

export function rangeOf(text: string, start: number, end: number): Range {
  const lines = new LineIndex(text);
  const at = (offset: number) => {
    const { line, column } = lines.position('', offset);
    return { line: line - 1, character: column - 1 };
  };
  return { start: at(start), end: at(end) };
}

export function offsetOf(text: string, line: number, character: number): number {
  let start = 0;
  for (let at = 0; at < line; at += 1) {
    const next = text.indexOf('\n', start);
    if (next < 0) return text.length;
    start = next + 1;
  }
  const end = text.indexOf('\n', start);
  return Math.min(start + character, end < 0 ? text.length : end);
}
