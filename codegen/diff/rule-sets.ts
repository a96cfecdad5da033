import type { RuleSet } from './rules/rule.ts';

/** Each set holds those before it. */
export const RULE_SETS: readonly RuleSet[] = ['wire', 'client', 'policy', 'agent', 'source'];
