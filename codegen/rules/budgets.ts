/** The budgets that a contract states in `server.yaml`. Nothing is counted where it states none. */
import { budgetStates, grown, unitOf, type BudgetState } from '../costs/budgets.ts';
import type { Figures } from '../cost.ts';
import type { Budgets } from '../model/budgets.ts';
import type { ContractModel } from '../model/types.ts';
import { onTool } from './outputs.ts';
import type { Finding, Rule, Scene } from './rule.ts';

function* broken(
  model: ContractModel,
  scene: Scene,
  budgets: readonly (keyof Budgets)[],
): Generator<readonly [BudgetState, Figures]> {
  if (!budgets.some((budget) => model.server.budgets[budget] !== undefined)) return;
  const figures = scene.figures();
  if (figures === undefined) return;
  for (const state of budgetStates(model, figures))
    if (budgets.includes(state.budget) && !state.kept) yield [state, figures];
}

function sentenceOf({ budget, limit, found, what }: BudgetState): string {
  return `${what} ${found}${unitOf(budget)}; the budget is ${limit}.`;
}

function onBudget({ server }: ContractModel, state: BudgetState, remedy: string): Finding {
  const path = ['budgets', state.budget];
  return { source: server.source, path, entity: 'server', message: sentenceOf(state), remedy };
}

const SHORTEN = '`cost --savings` says what would save most.';

const tool: Rule = {
  id: 'budget-tool',
  level: 'error',
  sentence: 'A tool costs no more tokens than `budgets.tool`.',
  *check(model, scene) {
    for (const [state] of broken(model, scene, ['tool'])) {
      const found = model.tools.find(({ name }) => name === state.tool);
      if (found !== undefined) yield onTool(found, ['name'], sentenceOf(state), SHORTEN, 'value');
    }
  },
};

const catalogue: Rule = {
  id: 'budget-catalog',
  level: 'error',
  sentence: 'The catalogue costs no more tokens than `budgets.catalogue`, `mean` and `with_output`.',
  *check(model, scene) {
    for (const [state] of broken(model, scene, ['mean', 'catalogue', 'with_output']))
      yield onBudget(model, state, SHORTEN);
  },
};

const segment: Rule = {
  id: 'budget-segment',
  level: 'error',
  sentence: 'Output schemas take no larger share of the tokens than `budgets.output_share`.',
  *check(model, scene) {
    for (const [state] of broken(model, scene, ['output_share']))
      yield onBudget(model, state, 'Flatten results, or publish fewer output schemas.');
  },
};

const growth: Rule = {
  id: 'budget-growth',
  level: 'error',
  sentence: 'The tools of the last release have grown by no more than `budgets.growth` per cent.',
  *check(model, scene) {
    for (const [state, figures] of broken(model, scene, ['growth'])) {
      const names = grown(figures, 3).map(({ name, by }) => `\`${name}\` by ${by}`);
      yield onBudget(model, state, `Most grew ${names.join(', ')}.`);
    }
  },
};

export const budgetRules: readonly Rule[] = [tool, catalogue, segment, growth];
