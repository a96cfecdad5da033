/** Rows that something is true of. */
export interface RowTally {
  readonly count: number;
  /** Row numbers, the first ten. */
  readonly examples: readonly number[];
}

export interface RowFailure {
  readonly row: number;
  readonly reason: string;
}

/** What the `messages` and `tools` of all rows come to. */
export interface ConversationFacts {
  readonly failed: number;
  /** The first ten. */
  readonly failures: readonly RowFailure[];
  /** Rows with a turn that calls tools, and with more than one. */
  readonly callingRows: number;
  readonly multiTurnRows: number;
}

/** What the engine counts in one version. Lengths are in characters; a value that is no text counts as its JSON. */
export interface RowFacts {
  readonly rows: number;
  /** Absent without a `messages` column. */
  readonly conversations?: ConversationFacts;
  /** Absent without an `input` column. */
  readonly emptyInputs?: RowTally;
  readonly emptyOutputs: RowTally;
  readonly failedTraces: RowTally;
  /** Rows whose content an earlier row has. */
  readonly repeated: RowTally;
  /** Rows with an `expected_output`, and whether all of those are equal. */
  readonly references: number;
  readonly hasOneReference: boolean;
  readonly inputCharacters: number;
  readonly outputCharacters: number;
  /** Of the row with most. */
  readonly longestCharacters: number;
}

/** How many rows are named, whatever the number of those counted. */
export const EXAMPLES_MAX = 10;
