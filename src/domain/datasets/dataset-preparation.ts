import type { Db, Tx } from '../../db/database.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import type { JobsService } from '../jobs/index.ts';
import { appendProposal, appendVersion, baseOf } from './cell-chain.ts';
import type { ComputedCell } from './cell-chain.ts';
import { CellRepository } from './cell-repository.ts';
import { inOrder } from './cell.ts';
import type { DatasetEngine } from './dataset-engine.ts';
import { datasetNotFound } from './dataset-reference.ts';
import { DatasetRepository } from './dataset-repository.ts';
import { busy, startRun } from './dataset-runs.ts';
import type { DatasetService } from './dataset-service.ts';
import { isBusy } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { ObjectMissing } from './object-store.ts';
import { optional } from './optional.ts';

/** A version to be made from the last one. */
export interface Step {
  readonly title: string;
  /** One SELECT over `t`, the version before it. */
  readonly script: string;
  readonly note: string;
  readonly accountId: string;
  /** A proposal waits for a person; any other step is computed at once. */
  readonly isProposal: boolean;
  readonly signal?: AbortSignal;
}

interface DatasetPreparationParts {
  readonly db: Db;
  readonly newId: IdMaker;
  readonly jobs: Pick<JobsService, 'enqueue'>;
  readonly datasets: Pick<DatasetService, 'require'>;
  readonly engine: Pick<DatasetEngine, 'check'>;
}

/** Grows the chain of versions. What is there stays as it is: a step only ever comes after it. */
export class DatasetPreparation {
  readonly #parts: DatasetPreparationParts;
  readonly #datasets: DatasetRepository;
  readonly #cells: CellRepository;

  constructor(parts: DatasetPreparationParts) {
    this.#parts = parts;
    this.#datasets = new DatasetRepository(parts.db);
    this.#cells = new CellRepository(parts.db);
  }

  /** The statement is checked against the last version first, so that a step is never plainly wrong. */
  async addStep(
    projectId: string,
    reference: string,
    step: Step,
  ): Promise<{ readonly dataset: Dataset; readonly cellId: string }> {
    const dataset = await this.#parts.datasets.require(projectId, reference);
    if (isBusy(dataset.state)) throw busy();
    const base = baseOf(await this.#cells.ofDataset(projectId, dataset.id));
    await this.#check(base, step);
    const cellId = this.#parts.newId();
    await this.#datasets.inTransaction((tx) => this.#append(tx, { dataset, base, step, cellId }));
    return { dataset: await this.#parts.datasets.require(projectId, dataset.id), cellId };
  }

  async #check({ table }: ComputedCell, { script, signal }: Step): Promise<void> {
    try {
      await this.#parts.engine.check(table.objectKey, script, optional('signal', signal));
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      throw new AppError('unavailable', 'The rows of the last version cannot be read at the moment; try again later.', {
        cause: error,
      });
    }
  }

  async #append(
    tx: Tx,
    { dataset, base, step, cellId }: { dataset: Dataset; base: ComputedCell; step: Step; cellId: string },
  ): Promise<void> {
    const { projectId, id: datasetId } = dataset;
    const current = await this.#datasets.in(tx).lock(projectId, datasetId);
    if (current === undefined) throw datasetNotFound();
    if (isBusy(current.state)) throw busy();
    const repository = this.#cells.in(tx);
    const cells = inOrder(await repository.ofDataset(projectId, datasetId));
    // Another step came in between, and this one was checked against columns that may be gone.
    if (baseOf(cells).id !== base.id) throw busy();
    const { title, script, note, accountId } = step;
    const version = { id: cellId, datasetId, title, script, note, base, accountId };
    if (step.isProposal) return appendProposal(repository, projectId, cells, version);
    await appendVersion(repository, projectId, cells, { version, state: 'queued' });
    await startRun(this.#parts.jobs, tx, { dataset: current, accountId, cellId });
  }
}
