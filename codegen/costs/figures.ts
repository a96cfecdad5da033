/** Counts a catalogue for the budgets of its contract, at most once for each text. */
import { costOf, type Baseline, type Figures } from '../cost.ts';
import type { ContractModel } from '../model/types.ts';
import type { Projection } from '../project/index.ts';
import { createTokenCounter, type TokenCounter } from '../tokens/count.ts';
import { lastBaseline } from './baseline.ts';

export type CountFigures = (model: ContractModel, projection: Projection) => Figures;

/** A counter that remembers whole texts: most of a tree is what it was before the last edit. */
export function rememberingCounter(): TokenCounter {
  const count = createTokenCounter();
  const known = new Map<string, number>();
  return (text) => {
    const tokens = known.get(text) ?? count(text);
    known.set(text, tokens);
    return tokens;
  };
}

/** Counts with `count`, which outlives one tree; `baseline` is asked for only where the contract limits growth. */
export function figuresWith(
  count: () => TokenCounter,
  baseline: (count: TokenCounter) => Baseline | undefined,
): CountFigures {
  return (model, projection) => {
    const counter = count();
    const catalogue = costOf(model, projection, { count: counter });
    const before = model.server.budgets.growth === undefined ? undefined : baseline(counter);
    return { catalogue, ...(before === undefined ? {} : { baseline: before }) };
  };
}

/** Figures of the trees that stand under one folder, one after the other. */
export function figuresUnder(schemas: string): CountFigures {
  let counter: TokenCounter | undefined;
  return figuresWith(
    () => (counter ??= rememberingCounter()),
    (count) => lastBaseline(schemas, count),
  );
}
