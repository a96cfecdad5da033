/** What the catalogue may cost an agent, in tokens; what is absent is not limited. */
export interface Budgets {
  /** Name, description and input of one tool. */
  readonly tool?: number;
  /** The same, on average. */
  readonly mean?: number;
  /** The same, of all tools together. */
  readonly catalogue?: number;
  /** All tools with compact output schemas and annotations. */
  readonly with_output?: number;
  /** Most per cent of the whole that output schemas take. */
  readonly output_share?: number;
  /** Most per cent by which the tools of the last release may have grown since. */
  readonly growth?: number;
}
