/** The cost of the catalogue as each kind of credential and each client profile is shown it. */
import { costOf, meanOf, shownCost, sum, type Cost, type View } from '../cost.ts';
import type { ContractModel } from '../model/types.ts';
import type { Projection } from '../project/index.ts';
import { projectForProfile } from '../project/profile.ts';
import type { TokenCounter } from '../tokens/count.ts';

export interface ViewCost {
  readonly name: string;
  readonly tools: number;
  readonly shown: Cost;
  readonly mean: number;
  /** With output schemas and annotations; a profile says nothing about those. */
  readonly whole?: Cost;
}

const VIEWS: readonly (readonly [View, string])[] = [
  ['account', 'account credential'],
  ['project', 'project key'],
];

export function viewCosts(model: ContractModel, projection: Projection, count: TokenCounter): ViewCost[] {
  const views = VIEWS.map(([view, name]): ViewCost => {
    const { tools, shown, whole, meanShownTokens } = costOf(model, projection, { view, count });
    return { name, tools: tools.length, shown, mean: meanShownTokens, whole };
  });
  const profiles = model.profiles.map((profile): ViewCost => {
    const { tools } = projectForProfile(model, projection, profile);
    const shown = sum(tools.map((tool) => shownCost(tool.name, tool.description, tool.inputSchema, count)));
    return { name: `profile ${profile.name}`, tools: tools.length, shown, mean: meanOf(shown, tools.length) };
  });
  return [...views, ...profiles];
}
