import { createHash } from 'node:crypto';
import { AppError } from '../../kernel/errors.ts';
import { contradiction } from './contradiction.ts';
import type { Parting } from './split.ts';
import type { CallRef } from './trace-source.ts';

export interface CreateFromCalls {
  readonly name: string;
  readonly accountId: string;
  /** A reference. */
  readonly capability: string;
  readonly since: string;
  readonly until?: string;
  readonly model?: string;
  readonly limit: number;
  readonly intent?: 'train' | 'eval';
  /** Makes two datasets. */
  readonly isSplit: boolean;
  /** Share for evaluation; 20 when absent. */
  readonly evalPercent?: number;
}

/** The stored source of a dataset made from model calls. */
export interface CallSpec {
  readonly kind: 'llm_calls';
  /** In row order. */
  readonly calls: readonly CallRef[];
  /** Present for a split. */
  readonly evalPercent?: number;
}

/** Digits of the digest that decide; four bytes are fine enough for a percentage. */
const DIGITS = 8;

/**
 * A call's side is decided by its span id alone: whatever else is selected and however often, a call that was once
 * for evaluation never becomes training data.
 */
export function isEvalCall({ spanId }: CallRef, evalPercent: number): boolean {
  return createHash('sha256').update(spanId).digest('hex').slice(0, DIGITS) < threshold(evalPercent);
}

/** The same decision for rows. */
export function callParting(evalPercent: number): Parting {
  return {
    statement: (_columns, flag) => ({
      tables: {},
      select: `SELECT *, left(sha256(span_id), ${DIGITS}) < '${threshold(evalPercent)}' AS ${flag} FROM t`,
    }),
    mayOverlap: true,
  };
}

export function toCallSpec(sourceSpec: unknown): CallSpec {
  // because DatasetCreation writes nothing else for this source kind
  return sourceSpec as CallSpec;
}

export function checkCalls({ since, until, intent, isSplit, evalPercent }: CreateFromCalls): void {
  if (until !== undefined && Date.parse(until) <= Date.parse(since)) {
    throw contradiction('until', 'until must be later than since; there are no calls between them.');
  }
  if (!isSplit && evalPercent !== undefined) {
    throw contradiction('eval_percent', 'eval_percent belongs to a split; set split, or leave it out.');
  }
  if (isSplit && intent !== undefined) {
    throw contradiction('intent', 'A split makes a training and an evaluation dataset; leave intent out.');
  }
}

export function noCalls(): AppError {
  return new AppError(
    'no_calls',
    'The capability has no model call in that time; try the window and the model with query_traces first.',
  );
}

export function oneSided(): AppError {
  return new AppError(
    'dataset_invalid',
    'All selected calls fall on one side of the split; select more calls, or leave split out.',
  );
}

function threshold(evalPercent: number): string {
  return Math.round((evalPercent / 100) * 16 ** DIGITS)
    .toString(16)
    .padStart(DIGITS, '0');
}
