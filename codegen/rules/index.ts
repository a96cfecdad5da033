import { pointer } from '../load/positions.ts';
import type { Diagnostic, Fix } from '../model/diagnostic.ts';
import type { ContractModel, JsonPath } from '../model/types.ts';
import { argumentRules } from './arguments.ts';
import { behaviourRules } from './behaviour.ts';
import { boundRules } from './bounds.ts';
import { budgetRules } from './budgets.ts';
import { conductRules } from './conduct.ts';
import { crossReferenceRules } from './cross-references.ts';
import { errorRules } from './error-rules.ts';
import { endpointRules } from './endpoints.ts';
import { guidanceRules } from './guidance.ts';
import { inputRules } from './inputs.ts';
import { jobRules } from './jobs.ts';
import { nameRules } from './names.ts';
import { namingRules } from './naming.ts';
import { outputRules } from './outputs.ts';
import { patternRules } from './pattern-rules.ts';
import { portabilityRules } from './portability.ts';
import { promptRules } from './prompts.ts';
import { proseRules } from './prose.ts';
import { resourceRules } from './resources.ts';
import { resultRules } from './results.ts';
import type { Finding, Rule, Scene } from './rule.ts';
import { satisfiableRules } from './satisfiable.ts';
import { yamlStyle } from './style.ts';
import { sift, suppressReason } from './suppressions.ts';
import type { Sifted } from './suppressions.ts';
import { valueRules } from './values.ts';

/** Every rule that runs over the model. Rules on single files are checked while reading, under the same ids. */
export const RULES: readonly Rule[] = [
  ...nameRules,
  ...namingRules,
  ...proseRules,
  ...guidanceRules,
  ...crossReferenceRules,
  ...portabilityRules,
  ...inputRules,
  ...argumentRules,
  ...boundRules,
  ...satisfiableRules,
  ...patternRules,
  ...valueRules,
  ...outputRules,
  ...resultRules,
  ...errorRules,
  ...behaviourRules,
  ...conductRules,
  ...resourceRules,
  ...promptRules,
  ...jobRules,
  ...endpointRules,
  ...budgetRules,
  yamlStyle,
  suppressReason,
];

function diagnose(rule: Rule, finding: Finding): Diagnostic {
  const { source, path, fix } = finding;
  return {
    rule: rule.id,
    level: rule.level,
    message: finding.message,
    ...(finding.remedy === undefined ? {} : { remedy: finding.remedy }),
    position: source.locate(path, finding.at),
    entity: finding.entity,
    pointer: pointer(path),
    ...(fix === undefined ? {} : { fix: fromRoot(fix, source.base) }),
  };
}

function fromRoot(fix: Fix, base: JsonPath = []): Fix {
  if (base.length === 0) return fix;
  return { ...fix, edits: fix.edits.map((edit) => ({ ...edit, path: [...base, ...edit.path] })) };
}

export interface Judging extends Partial<Scene> {
  /** The ISO day suppressions are judged by; without it nothing expires. */
  readonly today?: string | undefined;
}

/** Applies every rule and sets answered findings apart; in no particular order. */
export function judgeModel(model: ContractModel, judging: Judging = {}): Sifted {
  const { texts = new Map<string, string>(), figures = () => undefined, today } = judging;
  const scene: Scene = { texts, figures };
  const found: Diagnostic[] = [];
  for (const rule of RULES) for (const finding of rule.check(model, scene)) found.push(diagnose(rule, finding));
  return sift(model, found, RULES, today);
}
