import { sortDiagnostics } from '../load/diagnostics.ts';
import { pointer } from '../load/positions.ts';
import type { ContractModel, Diagnostic } from '../model/types.ts';
import { behaviourRules } from './behaviour.ts';
import { boundRules } from './bounds.ts';
import { crossReferenceRules } from './cross-references.ts';
import { errorRules } from './error-rules.ts';
import { endpointRules } from './endpoints.ts';
import { inputRules } from './inputs.ts';
import { jobRules } from './jobs.ts';
import { nameRules } from './names.ts';
import { outputRules } from './outputs.ts';
import { patternRules } from './pattern-rules.ts';
import { portabilityRules } from './portability.ts';
import { promptRules } from './prompts.ts';
import { proseRules } from './prose.ts';
import { resourceRules } from './resources.ts';
import type { Finding, Rule } from './rule.ts';
import { satisfiableRules } from './satisfiable.ts';
import { sift, suppressReason } from './suppressions.ts';
import type { Sifted } from './suppressions.ts';
import { valueRules } from './values.ts';

/** Every rule that runs over the model. Rules on single files are checked while reading, under the same ids. */
export const RULES: readonly Rule[] = [
  ...nameRules,
  ...proseRules,
  ...crossReferenceRules,
  ...portabilityRules,
  ...inputRules,
  ...boundRules,
  ...satisfiableRules,
  ...patternRules,
  ...valueRules,
  ...outputRules,
  ...errorRules,
  ...behaviourRules,
  ...resourceRules,
  ...promptRules,
  ...jobRules,
  ...endpointRules,
  suppressReason,
];

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

/** Applies every rule and sets answered findings apart; `today` is the ISO day suppressions are judged by. */
export function judgeModel(model: ContractModel, today?: string): Sifted {
  const found: Diagnostic[] = [];
  for (const rule of RULES) for (const finding of rule.check(model)) found.push(diagnose(rule, finding));
  const { open, suppressed } = sift(model, found, RULES, today);
  return { open: sortDiagnostics(open), suppressed };
}

/** Every finding that nothing answers, sorted by file and place. */
export function runRules(model: ContractModel): readonly Diagnostic[] {
  return judgeModel(model).open;
}
