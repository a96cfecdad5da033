import { sortDiagnostics } from '../load/diagnostics.ts';
import { pointer } from '../load/positions.ts';
import type { ContractModel, Diagnostic } from '../model/types.ts';
import type { Finding, Rule } from './rule.ts';

export const RULES: readonly Rule[] = [];

function diagnose(rule: Rule, finding: Finding): Diagnostic {
  return {
    rule: rule.id,
    level: rule.level,
    message: finding.message,
    ...(finding.remedy === undefined ? {} : { remedy: finding.remedy }),
    position: finding.source.locate(finding.path, finding.at),
    entity: finding.entity,
    pointer: pointer(finding.path),
  };
}

/** Applies every rule; findings are sorted by file and place. */
export function runRules(model: ContractModel): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const rule of RULES) for (const finding of rule.check(model)) found.push(diagnose(rule, finding));
  return sortDiagnostics(found);
}
