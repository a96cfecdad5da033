import type { Diagnostic } from '../model/diagnostic.ts';
import type { Rule } from '../rules/rule.ts';
import type { Suppressed } from '../rules/suppressions.ts';

/** One run of the linter, in the form that every report starts from. */
export interface LintRun {
  readonly diagnostics: readonly Diagnostic[];
  readonly suppressed: readonly Suppressed[];
  readonly rules: readonly Pick<Rule, 'id' | 'sentence' | 'level'>[];
  /** The contract folder as seen from where the command runs. */
  readonly root: string;
}

export function fileOf({ position }: Diagnostic, root: string): string {
  const folder = root.replaceAll('\\', '/').replace(/\/+$/u, '');
  return folder === '' || folder === '.' ? position.file : `${folder}/${position.file}`;
}

export function sentenceOf({ message, remedy }: Diagnostic): string {
  return remedy === undefined ? message : `${message} ${remedy}`;
}
