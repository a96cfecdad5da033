import type { ContractModel, Diagnostic, JsonPath, Source } from '../model/types.ts';

export interface Rule {
  readonly id: string;
  readonly level: Diagnostic['level'];
  /** What must hold, in one sentence. */
  readonly sentence: string;
  readonly check: (model: ContractModel) => Iterable<Finding>;
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
}
