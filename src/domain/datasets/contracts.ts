import { qualityFindings } from './quality.ts';
import type { QualityFinding } from './quality.ts';
import type { RowFacts, RowFailure } from './row-facts.ts';

/** Whether every row has what an intent needs. */
export interface ContractReport {
  readonly ok: boolean;
  /** Empty when nothing is missing. */
  readonly reason: string;
  /** The first ten. */
  readonly failures: readonly RowFailure[];
}

export interface RowStats {
  readonly numExamples: number;
  readonly hasToolCalling: boolean;
  readonly hasMultiTurnToolCalls: boolean;
  /** Of the longest row, at four characters a token. */
  readonly maxTokenEstimate: number;
  readonly averageInputCharacters: number;
  readonly averageOutputCharacters: number;
}

export interface Measurements {
  readonly trainReport: ContractReport;
  readonly evalReport: ContractReport;
  readonly stats: RowStats;
  readonly quality: readonly QualityFinding[];
}

const CHARACTERS_PER_TOKEN = 4;

/** What the rows of a version are good for. */
export function measurementsOf(facts: RowFacts): Measurements {
  return {
    trainReport: trainReport(facts),
    evalReport: evalReport(facts),
    stats: statsOf(facts),
    quality: qualityFindings(facts),
  };
}

function trainReport({ rows, conversations }: RowFacts): ContractReport {
  if (conversations === undefined) return report(rows, 0, [], 'There is no messages column.');
  return report(rows, conversations.failed, conversations.failures);
}

function evalReport({ rows, emptyInputs, references }: RowFacts): ContractReport {
  if (emptyInputs === undefined) return report(rows, 0, [], 'There is no input column.');
  const failures = emptyInputs.examples.map((row) => ({ row, reason: 'input is empty' }));
  if (references > 0) return report(rows, emptyInputs.count, failures);
  const gap =
    'No row has an expected_output. To take recorded answers as the reference, add a version with ' +
    'SELECT * REPLACE (output AS expected_output) FROM t.';
  return report(rows, emptyInputs.count, failures, gap);
}

function report(rows: number, failed: number, failures: readonly RowFailure[], gap?: string): ContractReport {
  if (rows === 0) return { ok: false, reason: 'There are no rows.', failures };
  if (gap !== undefined) return { ok: false, reason: gap, failures };
  if (failed === 0) return { ok: true, reason: '', failures };
  return { ok: false, reason: `${failed} of ${rows} rows fail, the first because ${failures[0]?.reason}.`, failures };
}

function statsOf({ rows, conversations, ...facts }: RowFacts): RowStats {
  return {
    numExamples: rows,
    hasToolCalling: (conversations?.callingRows ?? 0) > 0,
    hasMultiTurnToolCalls: (conversations?.multiTurnRows ?? 0) > 0,
    maxTokenEstimate: Math.ceil(facts.longestCharacters / CHARACTERS_PER_TOKEN),
    averageInputCharacters: rows === 0 ? 0 : Math.round(facts.inputCharacters / rows),
    averageOutputCharacters: rows === 0 ? 0 : Math.round(facts.outputCharacters / rows),
  };
}
