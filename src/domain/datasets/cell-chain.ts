import { AppError } from '../../kernel/errors.ts';
import type { CellRepository } from './cell-repository.ts';
import { inOrder } from './cell.ts';
import type { Cell, CellTable } from './cell.ts';

export type ComputedCell = Cell & { readonly table: CellTable };

/** A version that is about to stand at the end of the chain. */
export interface NewVersion {
  readonly id: string;
  readonly datasetId: string;
  readonly title: string;
  readonly script: string;
  readonly note: string;
  /** The version the script was written for. */
  readonly base: ComputedCell;
  readonly accountId?: string;
}

/** The last version that has rows. */
export function baseOf(cells: readonly Cell[]): ComputedCell {
  const base = inOrder(cells).findLast((cell): cell is ComputedCell => cell.table !== undefined);
  if (base !== undefined) return base;
  throw new AppError('dataset_invalid', 'No version of the dataset has rows yet, so nothing can be built on it.');
}

/** Puts a proposal behind everything else. `repository` is in the transaction that holds the dataset. */
export async function appendProposal(
  repository: CellRepository,
  projectId: string,
  cells: readonly Cell[],
  version: NewVersion,
): Promise<void> {
  await insert(repository, projectId, { version, position: cells.length, state: 'proposed' });
}

/** Puts a version behind the last one with rows and before the proposals. One that never got rows makes room for it. */
export async function appendVersion(
  repository: CellRepository,
  projectId: string,
  cells: readonly Cell[],
  { version, state }: { readonly version: NewVersion; readonly state: 'queued' | 'running' },
): Promise<void> {
  await insert(repository, projectId, { version, position: cells.length, state });
  await removeUnfinished(repository, projectId, cells);
  const computed = cells.filter((cell) => cell.state === 'ok').map(({ id }) => id);
  const proposals = cells.filter((cell) => cell.state === 'proposed').map(({ id }) => id);
  await repository.renumber(projectId, [...computed, version.id, ...proposals]);
}

/** A version that never got rows has nothing to keep. */
export async function removeUnfinished(
  repository: CellRepository,
  projectId: string,
  cells: readonly Cell[],
): Promise<void> {
  const unfinished = cells.filter(({ state }) => state === 'failed' || state === 'queued');
  for (const { id } of unfinished) await repository.remove(projectId, id);
}

function insert(
  repository: CellRepository,
  projectId: string,
  at: {
    readonly version: NewVersion;
    readonly position: number;
    readonly state: 'proposed' | 'queued' | 'running';
  },
): Promise<void> {
  const { base, accountId, ...version } = at.version;
  return repository.insert(projectId, {
    ...version,
    position: at.position,
    state: at.state,
    inputFingerprint: base.table.fingerprint,
    ...(accountId !== undefined && { createdBy: accountId }),
  });
}
