/** Findings that the contracts answer with a reason. A finding that blocks cannot be answered away. */
import { nearest } from '../load/did-you-mean.ts';
import { pointer } from '../load/positions.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ContractModel, SuppressionSpec } from '../model/types.ts';
import type { Rule } from './rule.ts';

export interface Suppressed {
  readonly diagnostic: Diagnostic;
  readonly suppression: SuppressionSpec;
}

export interface Sifted {
  readonly open: readonly Diagnostic[];
  readonly suppressed: readonly Suppressed[];
}

/** Runs after the others, because it is about what they found; `sift` is its check. */
export const suppressReason: Rule = {
  id: 'suppress-reason',
  level: 'error',
  fixes: 'some',
  sentence: 'A suppression names a rule that warns here, says why in five words or more and has not expired.',
  check: () => [],
};

/** Takes the answered findings away; `today` is an ISO day, without it nothing expires. */
export function sift(
  model: ContractModel,
  found: readonly Diagnostic[],
  rules: readonly Rule[],
  today: string | undefined,
): Sifted {
  const suppressed: Suppressed[] = [];
  const answered = new Set<Diagnostic>();
  const faults: Diagnostic[] = [];
  for (const suppression of model.suppressions) {
    const meant = found.filter((one) => isMeant(one, suppression));
    const fault = faultOf(suppression, { rules, meant, today });
    if (fault !== undefined) {
      faults.push(fault);
      continue;
    }
    for (const diagnostic of meant) {
      answered.add(diagnostic);
      suppressed.push({ diagnostic, suppression });
    }
  }
  return { open: [...found.filter((one) => !answered.has(one)), ...faults], suppressed };
}

function isMeant(diagnostic: Diagnostic, { rule, file }: SuppressionSpec): boolean {
  return diagnostic.rule === rule && diagnostic.position.file === file && diagnostic.level !== 'error';
}

interface Judged {
  readonly rules: readonly Rule[];
  readonly meant: readonly Diagnostic[];
  readonly today: string | undefined;
}

function faultOf(suppression: SuppressionSpec, { rules, meant, today }: Judged): Diagnostic | undefined {
  const { rule, reason, until } = suppression;
  const known = rules.find(({ id }) => id === rule);
  const fault = (message: string, remedy: string, key: string): Diagnostic => ({
    rule: suppressReason.id,
    level: suppressReason.level,
    message,
    remedy,
    position: suppression.source.locate([...suppression.path, key]),
    entity: suppression.entity,
    pointer: pointer([...suppression.path, key]),
  });
  if (known === undefined) {
    const near = nearest(
      rule,
      rules.map(({ id }) => id),
    );
    const remedy = near === undefined ? '`lint --rules` lists all rules.' : `Did you mean \`${near}\`?`;
    return fault(`\`${rule}\` is not a rule.`, remedy, 'rule');
  }
  if (known.level === 'error')
    return fault(`\`${rule}\` blocks and cannot be suppressed.`, 'Change what it found.', 'rule');
  if (reason.trim().split(/\s+/u).length < 5)
    return fault('The reason is too short to judge.', 'Say in five words or more why it is right here.', 'reason');
  if (until !== undefined && today !== undefined && until < today)
    return fault(`The suppression of \`${rule}\` ended on ${until}.`, 'Mend the finding or decide anew.', 'until');
  if (meant.length === 0) {
    const title = 'Take the suppression away';
    const edits = [{ do: 'remove', path: suppression.path }] as const;
    return {
      ...fault(`\`${rule}\` finds nothing in this file.`, `${title}.`, 'rule'),
      fix: { title, exact: true, edits },
    };
  }
  return undefined;
}
