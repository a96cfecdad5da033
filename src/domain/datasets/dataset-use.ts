import type { Db, Tx } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { CellRepository } from './cell-repository.ts';
import type { Cell, CellTable } from './cell.ts';
import { ambiguousName, datasetNotFound, parseReference } from './dataset-reference.ts';
import { DatasetRepository } from './dataset-repository.ts';
import { busy } from './dataset-runs.ts';
import { requireRows, viewsOf } from './dataset-service.ts';
import type { CellView } from './dataset-service.ts';
import { isBusy } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import type { ObjectStore } from './object-store.ts';
import { optional } from './optional.ts';

/** What somebody wants to do with a version. */
export interface UseRequest {
  /** A reference. */
  readonly dataset: string;
  readonly intent: 'train' | 'eval';
  /** Id or version; the one in use by default. */
  readonly cell?: string;
}

export interface UsableVersion {
  readonly dataset: Dataset;
  readonly cell: CellView & { readonly table: CellTable };
}

interface DatasetUseParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly objects: Pick<ObjectStore, 'stat'>;
}

/**
 * The door for those who train on a version or evaluate with it. The first use freezes the version and all it was made
 * from, for good: whatever was learned from rows can always be held against the same rows.
 */
export class DatasetUse {
  readonly #parts: DatasetUseParts;

  constructor(parts: DatasetUseParts) {
    this.#parts = parts;
  }

  /** Whether the version can serve, without using it; throws what keeps it from serving. */
  async check(projectId: string, request: UseRequest): Promise<UsableVersion> {
    const { dataset, cells } = await this.#load(this.#parts.db, projectId, request.dataset);
    const usable = usableVersion(dataset, cells, request);
    const { table } = usable.cell;
    if ((await this.#parts.objects.stat(table.objectKey))?.sizeBytes !== table.sizeBytes) {
      throw new AppError('unavailable', 'The rows of this version cannot be read at the moment; try again later.');
    }
    return usable;
  }

  /** Uses the version in the transaction that starts the work, so that neither exists without the other. */
  async use(tx: Tx, projectId: string, request: UseRequest): Promise<UsableVersion> {
    const datasets = new DatasetRepository(tx);
    const { dataset } = await this.#load(tx, projectId, request.dataset);
    const locked = await datasets.lock(projectId, dataset.id);
    if (locked === undefined) throw datasetNotFound();
    const repository = new CellRepository(tx);
    const { cell } = usableVersion(locked, await repository.ofDataset(projectId, locked.id), request);
    await repository.markUsed(projectId, cell.id, this.#parts.clock.now());
    const cells = await repository.ofDataset(projectId, locked.id);
    return usableVersion(locked, cells, { ...request, cell: cell.id });
  }

  async #load(
    db: Db | Tx,
    projectId: string,
    reference: string,
  ): Promise<{ readonly dataset: Dataset; readonly cells: readonly Cell[] }> {
    const found = await new DatasetRepository(db).findByReference(projectId, parseReference(reference));
    const [dataset, another] = found;
    if (dataset === undefined) throw datasetNotFound();
    if (another !== undefined) throw ambiguousName();
    return { dataset, cells: await new CellRepository(db).ofDataset(projectId, dataset.id) };
  }
}

function usableVersion(dataset: Dataset, cells: readonly Cell[], request: UseRequest): UsableVersion {
  if (isBusy(dataset.state)) throw busy();
  if (dataset.intent !== request.intent) {
    const is = dataset.intent === 'pending' ? 'is for neither yet' : `is for ${nameOf(dataset.intent)}`;
    throw new AppError('dataset_invalid', `The dataset ${is}, so it cannot be used for ${nameOf(request.intent)}.`);
  }
  const cell = requireRows(viewsOf(dataset, cells), dataset, request.cell);
  if (!cell.fit.ok) {
    throw new AppError('dataset_invalid', `Version ${cell.version} cannot be used: ${cell.fit.reason}`, {
      fields: { version: cell.version, ...optional('row', reportOf(cell.table, request.intent).failures[0]?.row) },
    });
  }
  return { dataset, cell };
}

function reportOf(table: CellTable, intent: UseRequest['intent']): CellTable['trainReport'] {
  return intent === 'train' ? table.trainReport : table.evalReport;
}

function nameOf(intent: 'train' | 'eval'): string {
  return intent === 'train' ? 'training' : 'evaluation';
}
