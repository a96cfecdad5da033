import { clip } from '../../kernel/bounded.ts';
import type { TableColumn } from './dataset-engine.ts';
import type { DatasetIntent } from './dataset.ts';
import type { ContractReport, RowStats } from './contracts.ts';
import type { QualityFinding } from './quality.ts';

export type CellState = 'proposed' | 'queued' | 'running' | 'ok' | 'failed';

/** One version of a dataset: the source at position 0, or one SELECT over the version before it. */
export interface Cell {
  readonly id: string;
  readonly datasetId: string;
  readonly position: number;
  readonly title: string;
  /** Empty for the source. */
  readonly script: string;
  readonly note: string;
  readonly state: CellState;
  readonly error?: string;
  /** Fingerprint of the version the script was written for. */
  readonly inputFingerprint?: string;
  readonly usedAt?: Date;
  /** Present exactly when the state is `ok`. */
  readonly table?: CellTable;
}

/** What was written and measured when a cell ran. */
export interface CellTable {
  readonly objectKey: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly rows: number;
  readonly columns: readonly TableColumn[];
  readonly fingerprint: string;
  readonly trainReport: ContractReport;
  readonly evalReport: ContractReport;
  readonly stats: RowStats;
  readonly quality: readonly QualityFinding[];
  readonly seconds: number;
}

export interface Fit {
  readonly ok: boolean;
  /** Empty when it fits. */
  readonly reason: string;
}

const PROPOSED = 'proposed';
const REASON_MAX = 500;

const NEXT: Readonly<Record<CellState, readonly CellState[]>> = {
  proposed: ['queued'],
  queued: ['running', 'failed'],
  running: ['ok', 'failed'],
  failed: ['queued'],
  ok: [],
};

export function canCellBecome(from: CellState, to: CellState): boolean {
  return NEXT[from].includes(to);
}

/** Version numbers by cell id: the source is 1.0, each later version a minor; the first use of one makes it a major. */
export function versionsOf(cells: readonly Cell[]): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  let major = 1;
  let minor = -1;
  for (const cell of inOrder(cells)) {
    if (cell.state === 'proposed') {
      versions.set(cell.id, PROPOSED);
      continue;
    }
    const startsMajor = cell.usedAt !== undefined && minor >= 0;
    major += startsMajor ? 1 : 0;
    minor = startsMajor ? 0 : minor + 1;
    versions.set(cell.id, `${major}.${minor}`);
  }
  return versions;
}

/** A used version and everything it was made from cannot change any more. */
export function isFrozen(cell: Cell, cells: readonly Cell[]): boolean {
  return cells.some((other) => other.usedAt !== undefined && cell.position <= other.position);
}

/** The chosen cell while it is good, else the last good one. */
export function activeCell(cells: readonly Cell[], chosenId: string | undefined): Cell | undefined {
  const good = inOrder(cells).filter((cell) => cell.table !== undefined);
  return good.find((cell) => cell.id === chosenId) ?? good.at(-1);
}

/** Looks a cell up by id or version number. */
export function findCell(cells: readonly Cell[], reference: string): Cell | undefined {
  const wanted = reference.trim().toLowerCase();
  const versions = versionsOf(cells);
  return cells.find(
    (cell) => cell.id === wanted || (cell.state !== 'proposed' && versions.get(cell.id) === wanted.replace(/^v/, '')),
  );
}

export function fitOf(cell: Cell, intent: DatasetIntent): Fit {
  if (cell.state === 'failed')
    return { ok: false, reason: clip(`The version failed: ${cell.error ?? ''}`, REASON_MAX) };
  if (intent === 'pending')
    return { ok: false, reason: 'It is not decided whether the dataset is for training or evaluation.' };
  if (cell.table === undefined) return { ok: false, reason: 'The version has not been computed.' };
  const report = intent === 'train' ? cell.table.trainReport : cell.table.evalReport;
  return { ok: report.ok, reason: report.reason };
}

export function inOrder(cells: readonly Cell[]): readonly Cell[] {
  return [...cells].sort((left, right) => left.position - right.position);
}
