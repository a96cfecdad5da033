import type { ContaminationReport, PreparationContext } from './preparation-context.ts';

export const DATASET_STATES = ['landing', 'diagnosing', 'idle', 'running', 'error'] as const;
export type DatasetState = (typeof DATASET_STATES)[number];
export type DatasetIntent = 'train' | 'eval' | 'pending';
export type DatasetSourceKind = 'file' | 'traces' | 'llm_calls';

/** Landings a dataset gets in all; a source that failed that often is not tried again. */
export const LANDINGS_MAX = 5;

export interface RankedCapability {
  readonly capabilityId: string;
  readonly name: string;
  /** Share of rows, 0 to 1. */
  readonly score: number;
  readonly reason: string;
}

/** Rows for training or evaluation; the rows themselves are in its cells. */
export interface Dataset {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly sourceKind: DatasetSourceKind;
  /** What the rows are made from; its shape belongs to the source kind. */
  readonly sourceSpec: unknown;
  /** The dataset whose job lands this one; another dataset for the evaluation half of a split. */
  readonly landedBy: string;
  readonly splitSide?: 'train' | 'eval';
  readonly landings: number;
  readonly intent: DatasetIntent;
  readonly capabilityBinding: 'automatic' | 'chosen' | 'none';
  readonly capabilityId?: string;
  readonly capabilityRank: readonly RankedCapability[];
  /** Once it has landed from traces or calls. */
  readonly preparation?: PreparationContext;
  /** Once both halves of a split that may overlap have landed. */
  readonly contamination?: ContaminationReport;
  /** The cell someone put in use; see `activeCell` for the one that counts. */
  readonly activeCellId?: string;
  readonly state: DatasetState;
  readonly error?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const NEXT: Readonly<Record<DatasetState, readonly DatasetState[]>> = {
  landing: ['idle', 'error'],
  diagnosing: ['idle', 'error'],
  running: ['idle', 'error'],
  idle: ['running', 'diagnosing'],
  error: ['landing', 'running', 'diagnosing'],
};

export function canBecome(from: DatasetState, to: DatasetState): boolean {
  return NEXT[from].includes(to);
}

/** Work is going on: nothing else may start, and the state changes by itself. */
export function isBusy(state: DatasetState): boolean {
  return state === 'landing' || state === 'diagnosing' || state === 'running';
}
