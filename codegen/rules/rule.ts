import type { Diagnostic, Fix, FixEdit } from '../model/diagnostic.ts';
import type { ContractModel, JsonPath, Source } from '../model/types.ts';
import type { Figures } from '../cost.ts';

export interface Rule {
  readonly id: string;
  readonly level: Diagnostic['level'];
  /** What must hold, in one sentence. */
  readonly sentence: string;
  /** `always`: each finding has an exact fix; `some`: those of one shape have; `guess`: editors offer the likeliest. */
  readonly fixes?: 'always' | 'some' | 'guess';
  readonly check: (model: ContractModel, scene: Scene) => Iterable<Finding>;
}

/** What rules may ask for beyond the model. */
export interface Scene {
  /** Text of every contract file by its path. */
  readonly texts: ReadonlyMap<string, string>;
  /** What the catalogue costs, counted when first asked for; undefined where nothing is published. */
  readonly figures: () => Figures | undefined;
}

/** A finding with the one change that can mend it. */
export function mending(finding: Finding, title: string, ...edits: readonly FixEdit[]): Finding {
  return { ...finding, fix: { title, exact: true, edits } };
}

/** What a rule reports; id and level are added by the runner. */
export interface Finding {
  readonly source: Source;
  readonly path: JsonPath;
  /** Points at the key instead of the value; the place to look at for a whole member. */
  readonly at?: 'key' | 'value';
  readonly entity: string;
  readonly message: string;
  readonly remedy?: string;
  /** Paths count from the entity, as that of the finding does. */
  readonly fix?: Fix;
}
