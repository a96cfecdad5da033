import { AUTHORISATION_RULES, BEHAVIOUR_RULES } from './behaviour.ts';
import { SCHEMA_RULES } from './catalogue.ts';
import { ERROR_RULES } from './errors.ts';
import { LIFECYCLE_RULES } from './lifecycle.ts';
import { JOB_RULES, PROMPT_RULES } from './prompts.ts';
import { RESOURCE_RULES } from './resources.ts';
import type { Rule } from './rule.ts';
import { ENDPOINT_RULES, SERVER_RULES, SOURCE_RULES } from './server.ts';
import { TOOL_RULES } from './tools.ts';

/** Every rule of the gate. */
export const RULES: readonly Rule[] = [
  ...SCHEMA_RULES,
  ...TOOL_RULES,
  ...BEHAVIOUR_RULES,
  ...AUTHORISATION_RULES,
  ...ERROR_RULES,
  ...RESOURCE_RULES,
  ...PROMPT_RULES,
  ...JOB_RULES,
  ...SERVER_RULES,
  ...ENDPOINT_RULES,
  ...SOURCE_RULES,
  ...LIFECYCLE_RULES,
];

const BY_ID: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.id, rule]));

export function findRule(id: string): Rule | undefined {
  return BY_ID.get(id);
}

export function ruleOf(id: string): Rule {
  const rule = BY_ID.get(id);
  if (rule === undefined) throw new RangeError(`no rule is called ${id}`);
  return rule;
}
