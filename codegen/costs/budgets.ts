/** The budgets of a contract, held against what its catalogue costs. */
import type { Figures } from '../cost.ts';
import type { Budgets } from '../model/budgets.ts';
import type { ContractModel } from '../model/types.ts';

export interface BudgetState {
  readonly budget: keyof Budgets;
  readonly limit: number;
  readonly found: number;
  /** The tool that is meant; absent for the catalogue. */
  readonly tool?: string;
  readonly kept: boolean;
  /** What is compared, as a sentence has it. */
  readonly what: string;
}

/** Every budget the contract states, with the largest tool for that of one tool and all that pass it. */
export function budgetStates({ server, tools }: ContractModel, figures: Figures): BudgetState[] {
  const { budgets } = server;
  const { catalogue } = figures;
  const states: BudgetState[] = [];
  const add = (budget: keyof Budgets, found: number | undefined, what: string, tool?: string): void => {
    const limit = budgets[budget];
    if (limit === undefined || found === undefined) return;
    states.push({ budget, limit, found, kept: found <= limit, what, ...(tool === undefined ? {} : { tool }) });
  };
  const bySize = [...catalogue.tools].sort((left, right) => right.shown.tokens - left.shown.tokens);
  for (const [index, { name, shown }] of bySize.entries()) {
    if (index > 0 && shown.tokens <= (budgets.tool ?? Infinity)) break;
    add('tool', shown.tokens, `\`${name}\` costs`, name);
  }
  if (tools.length > 0) add('mean', catalogue.meanShownTokens, 'A tool costs on average');
  add('catalogue', catalogue.shown.tokens, 'The catalogue costs');
  add('with_output', catalogue.whole.tokens, 'The catalogue costs with its output schemas');
  const output = catalogue.tools.reduce((total, { segments }) => total + segments.output.tokens, 0);
  add('output_share', percent(output, catalogue.whole.tokens), 'Output schemas take of the whole');
  add('growth', growthOf(figures), `Since ${figures.baseline?.version ?? ''} the tools that were there have grown by`);
  return states;
}

/** Growth of the tools that the last release had, in per cent; negative when they shrank. */
function growthOf({ catalogue, baseline }: Figures): number | undefined {
  if (baseline === undefined) return undefined;
  let before = 0;
  let now = 0;
  for (const { name, shown } of catalogue.tools) {
    const known = baseline.shown.get(name);
    if (known === undefined) continue;
    before += known;
    now += shown.tokens;
  }
  return before === 0 ? undefined : Math.round(((now - before) / before) * 1000) / 10;
}

/** The tools that grew most since the last release. */
export function grown({ catalogue, baseline }: Figures, count: number): readonly { name: string; by: number }[] {
  return catalogue.tools
    .map(({ name, shown }) => ({ name, by: shown.tokens - (baseline?.shown.get(name) ?? shown.tokens) }))
    .filter(({ by }) => by > 0)
    .sort((left, right) => right.by - left.by)
    .slice(0, count);
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
}

export function unitOf(budget: keyof Budgets): string {
  return budget === 'output_share' || budget === 'growth' ? ' per cent' : ' tokens';
}
