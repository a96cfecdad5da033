import { createHash } from 'node:crypto';
import type { DatasetRow } from './dataset-engine.ts';

/** Something a person may want to look at. Advice: it never keeps a version from being used. */
export interface QualityFinding {
  readonly code: 'repeated_rows' | 'empty_output' | 'failed_traces' | 'one_label';
  readonly message: string;
  readonly rows: number;
  /** Row numbers, the first ten. */
  readonly examples: readonly number[];
}

const EXAMPLES_MAX = 10;
/** Digests kept to see repeats; beyond it rows are compared with the first ones only, so memory stays bounded. */
const DIGESTS_MAX = 1_000_000;

export class QualityReview {
  readonly #seen = new Set<string>();
  readonly #repeated = new Tally();
  readonly #emptyOutput = new Tally();
  readonly #failed = new Tally();
  readonly #labels = new Set<string>();
  #labelled = 0;

  add(at: number, row: DatasetRow): void {
    this.#addDigest(at, row);
    if ('output' in row && isBlank(row['output'])) this.#emptyOutput.add(at);
    if (row['status'] === 'error') this.#failed.add(at);
    if (isBlank(row['expected_output'])) return;
    this.#labelled += 1;
    if (this.#labels.size < 2) this.#labels.add(JSON.stringify(row['expected_output']));
  }

  close(rows: number): readonly QualityFinding[] {
    const labels = new Tally();
    if (this.#labelled > 1 && this.#labels.size === 1) labels.count = this.#labelled;
    return [
      finding('repeated_rows', 'rows repeat the content of an earlier row', this.#repeated, rows),
      finding('empty_output', 'rows have no output', this.#emptyOutput, rows),
      finding('failed_traces', 'rows come from failed traces', this.#failed, rows),
      finding('one_label', 'rows have the same expected_output', labels, rows),
    ].filter(({ rows: affected }) => affected > 0);
  }

  #addDigest(at: number, row: DatasetRow): void {
    const digest = createHash('sha256').update(contentOf(row)).digest('base64').slice(0, 22);
    if (this.#seen.has(digest)) this.#repeated.add(at);
    else if (this.#seen.size < DIGESTS_MAX) this.#seen.add(digest);
  }
}

/** What makes two rows the same example: their conversation, else what went in and came out, else everything. */
function contentOf(row: DatasetRow): string {
  if (!isBlank(row['messages'])) return JSON.stringify(row['messages']);
  if (!isBlank(row['input'])) return JSON.stringify([row['input'], row['output'] ?? null]);
  return JSON.stringify({ ...row, source_row: undefined });
}

class Tally {
  count = 0;
  readonly examples: number[] = [];

  add(at: number): void {
    this.count += 1;
    if (this.examples.length < EXAMPLES_MAX) this.examples.push(at);
  }
}

function finding(code: QualityFinding['code'], what: string, tally: Tally, rows: number): QualityFinding {
  return { code, message: `${tally.count} of ${rows} ${what}.`, rows: tally.count, examples: tally.examples };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}
