import type { Db, Tx } from '../../db/database.ts';
import { AppError } from '../../kernel/errors.ts';
import type { JobsService } from '../jobs/index.ts';
import { removeUnfinished } from './cell-chain.ts';
import { CellRepository } from './cell-repository.ts';
import { inOrder } from './cell.ts';
import type { Cell } from './cell.ts';
import type { DatasetAgent } from './dataset-agent.ts';
import { busy, startRun } from './dataset-runs.ts';
import { datasetNotFound } from './dataset-reference.ts';
import { DatasetRepository } from './dataset-repository.ts';
import { isBusy, LANDINGS_MAX } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import type { DatasetService } from './dataset-service.ts';

export interface RunRequest {
  readonly dataset: string;
  readonly proposalCell?: string;
  readonly decision: 'approve' | 'deny';
  readonly accountId: string;
}

interface DatasetDecisionsParts {
  readonly db: Db;
  readonly jobs: Pick<JobsService, 'enqueue'>;
  readonly datasets: DatasetService;
  readonly agent: Pick<DatasetAgent, 'decided'>;
}

/** What people decide about versions: proposals approved and denied, waiting work started. */
export class DatasetDecisions {
  readonly #parts: DatasetDecisionsParts;
  readonly #datasets: DatasetRepository;
  readonly #cells: CellRepository;

  constructor(parts: DatasetDecisionsParts) {
    this.#parts = parts;
    this.#datasets = new DatasetRepository(parts.db);
    this.#cells = new CellRepository(parts.db);
  }

  /** Decides a proposal, or starts what waits: a failed landing, queued or failed versions. */
  async run(projectId: string, request: RunRequest): Promise<Dataset> {
    const { proposalCell, decision, accountId } = request;
    if (decision === 'deny' && proposalCell === undefined) {
      const message = 'Only a proposal can be denied; name it in proposal_cell.';
      throw new AppError('invalid_input', message, { fields: { proposal_cell: message } });
    }
    const { id } = await this.#parts.datasets.require(projectId, request.dataset);
    await this.#locked(projectId, id, async (tx, dataset) => {
      if (proposalCell === undefined) return this.#start(tx, dataset, accountId);
      if (decision === 'deny') return this.#deny(tx, dataset, proposalCell, accountId);
      return this.#approve(tx, dataset, proposalCell, accountId);
    });
    return this.#parts.datasets.require(projectId, id);
  }

  async #approve(tx: Tx, dataset: Dataset, cellId: string, accountId: string): Promise<void> {
    const { projectId, id } = dataset;
    const repository = this.#cells.in(tx);
    const cells = inOrder(await repository.ofDataset(projectId, id));
    const cell = requireCell(cells, cellId);
    if (cell.script === '')
      throw new AppError('dataset_invalid', 'That version is the source, which needs no approval.');
    if (cell.state === 'failed') throw failed();
    // Approving twice is approving once: the second caller sees the state the first one brought about.
    if (cell.state !== 'proposed') return;
    if (isBusy(dataset.state)) throw busy();
    const real = cells.filter(({ state }) => state === 'ok');
    if (real.at(-1)?.table?.fingerprint !== cell.inputFingerprint) throw stale();
    await removeUnfinished(repository, projectId, cells);
    const others = cells.filter((other) => other.state === 'proposed' && other.id !== cellId);
    await repository.renumber(
      projectId,
      [...real, cell, ...others].map((other) => other.id),
    );
    await repository.setState(projectId, cellId, ['proposed'], 'queued');
    await this.#parts.agent.decided(tx, { dataset, cellId, action: 'approved', accountId });
    await startRun(this.#parts.jobs, tx, { dataset, accountId, cellId });
  }

  async #deny(tx: Tx, dataset: Dataset, cellId: string, accountId: string): Promise<void> {
    const { projectId, id } = dataset;
    const repository = this.#cells.in(tx);
    const cells = inOrder(await repository.ofDataset(projectId, id));
    const cell = requireCell(cells, cellId);
    if (cell.state !== 'proposed') {
      throw new AppError('dataset_invalid', 'That version is not a proposal any more, so it cannot be denied.');
    }
    await repository.remove(projectId, cellId);
    await repository.renumber(
      projectId,
      cells.filter((other) => other.id !== cellId).map((other) => other.id),
    );
    await this.#parts.agent.decided(tx, { dataset, cellId, action: 'denied', accountId });
  }

  async #start(tx: Tx, dataset: Dataset, accountId: string): Promise<void> {
    const { projectId, id } = dataset;
    if (isBusy(dataset.state)) throw busy();
    const repository = this.#cells.in(tx);
    const cells = inOrder(await repository.ofDataset(projectId, id));
    if (cells.length === 0) return this.#relaunch(tx, dataset, accountId);
    const waiting = cells.filter(({ state }) => state === 'queued' || state === 'failed');
    if (waiting.length === 0) {
      throw new AppError(
        'dataset_invalid',
        'Nothing waits to be computed; name a proposal in proposal_cell to decide it.',
      );
    }
    for (const cell of waiting) await repository.setState(projectId, cell.id, ['queued', 'failed'], 'queued');
    await startRun(this.#parts.jobs, tx, { dataset, accountId });
  }

  async #relaunch(tx: Tx, dataset: Dataset, accountId: string): Promise<void> {
    const { projectId, landedBy } = dataset;
    if (dataset.landings >= LANDINGS_MAX) {
      throw new AppError(
        'dataset_invalid',
        `The source failed to land ${LANDINGS_MAX} times and is not tried again; create a new dataset with another selection.`,
      );
    }
    await this.#datasets.in(tx).relaunch(projectId, landedBy);
    await this.#parts.jobs.enqueue(tx, {
      projectId,
      kind: 'dataset_run',
      subjectId: landedBy,
      payload: { dataset_id: landedBy, step: 'land' },
      accountId,
    });
  }

  async #locked(projectId: string, id: string, work: (tx: Tx, dataset: Dataset) => Promise<void>): Promise<void> {
    await this.#datasets.inTransaction(async (tx) => {
      const dataset = await this.#datasets.in(tx).lock(projectId, id);
      if (dataset === undefined) throw datasetNotFound();
      await work(tx, dataset);
    });
  }
}

function requireCell(cells: readonly Cell[], cellId: string): Cell {
  const cell = cells.find(({ id }) => id === cellId.toLowerCase());
  if (cell !== undefined) return cell;
  throw new AppError('cell_not_found', 'The dataset has no version with that id; inspect_dataset lists its proposals.');
}

function stale(): AppError {
  return new AppError(
    'dataset_invalid',
    'The proposal was made for an earlier version of the rows; deny it and ask for a new one.',
  );
}

function failed(): AppError {
  return new AppError(
    'dataset_invalid',
    'That version is approved, and has failed; run the dataset without a proposal to try it again.',
  );
}
