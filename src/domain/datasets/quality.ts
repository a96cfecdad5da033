import type { RowFacts, RowTally } from './row-facts.ts';

/** Something a person may want to look at. Advice: it never keeps a version from being used. */
export interface QualityFinding {
  readonly code: 'repeated_rows' | 'empty_output' | 'failed_traces' | 'one_label';
  readonly message: string;
  readonly rows: number;
  /** Row numbers, the first ten. */
  readonly examples: readonly number[];
}

export function qualityFindings(facts: RowFacts): readonly QualityFinding[] {
  const { rows, references, hasOneReference } = facts;
  const sameReference = { count: references > 1 && hasOneReference ? references : 0, examples: [] };
  return [
    finding('repeated_rows', 'rows repeat the content of an earlier row', facts.repeated, rows),
    finding('empty_output', 'rows have no output', facts.emptyOutputs, rows),
    finding('failed_traces', 'rows come from failed traces', facts.failedTraces, rows),
    finding('one_label', 'rows have the same expected_output', sameReference, rows),
  ].filter(({ rows: affected }) => affected > 0);
}

function finding(
  code: QualityFinding['code'],
  what: string,
  { count, examples }: RowTally,
  rows: number,
): QualityFinding {
  return { code, message: `${count} of ${rows} ${what}.`, rows: count, examples };
}
