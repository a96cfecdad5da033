import type { Db, Tx } from '../../db/database.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import type { JobsService } from '../jobs/index.ts';
import type { ModelsService } from '../models/index.ts';
import { CellRepository } from './cell-repository.ts';
import { baseOf } from './cell-chain.ts';
import { datasetNotFound } from './dataset-reference.ts';
import { DatasetRepository } from './dataset-repository.ts';
import { busy } from './dataset-runs.ts';
import type { DatasetService } from './dataset-service.ts';
import { isBusy } from './dataset.ts';
import type { Dataset } from './dataset.ts';
import { optional } from './optional.ts';
import { TurnRepository } from './turn-repository.ts';

export interface AgentMessage {
  /** A reference. */
  readonly dataset: string;
  readonly message: string;
  readonly accountId: string;
}

/** A proposal that a person has just decided. */
export interface Decided {
  readonly dataset: Dataset;
  readonly cellId: string;
  readonly action: 'approved' | 'denied';
  readonly accountId: string;
}

interface DatasetAgentParts {
  readonly db: Db;
  readonly newId: IdMaker;
  readonly jobs: Pick<JobsService, 'enqueue'>;
  readonly datasets: Pick<DatasetService, 'require'>;
  readonly models: Pick<ModelsService, 'isConfigured' | 'requireConfigured'>;
}

const MESSAGE_MAX = 8_000;

/** The chat of a dataset: what starts, resumes and ends turns of its agent. The turns themselves are jobs. */
export class DatasetAgent {
  readonly #parts: DatasetAgentParts;
  readonly #datasets: DatasetRepository;
  readonly #cells: CellRepository;
  readonly #turns: TurnRepository;

  constructor(parts: DatasetAgentParts) {
    this.#parts = parts;
    this.#datasets = new DatasetRepository(parts.db);
    this.#cells = new CellRepository(parts.db);
    this.#turns = new TurnRepository(parts.db);
  }

  async message(projectId: string, { dataset: reference, message, accountId }: AgentMessage): Promise<Dataset> {
    const text = message.trim();
    if (text === '') {
      throw new AppError('invalid_input', 'The message is blank.', { fields: { message: 'It is blank.' } });
    }
    if (text.length > MESSAGE_MAX) {
      throw new AppError('invalid_input', `A message has at most ${MESSAGE_MAX} characters.`, {
        fields: { message: 'It is too long.' },
      });
    }
    const { id: datasetId } = await this.#parts.datasets.require(projectId, reference);
    this.#parts.models.requireConfigured();
    await this.#datasets.inTransaction(async (tx) => {
      const dataset = await this.#datasets.in(tx).lock(projectId, datasetId);
      if (dataset === undefined) throw datasetNotFound();
      if (isBusy(dataset.state)) throw busy();
      // Without rows there is nothing to talk about.
      baseOf(await this.#cells.in(tx).ofDataset(projectId, datasetId));
      const turns = this.#turns.in(tx);
      await turns.insert(projectId, { id: this.#parts.newId(), datasetId, role: 'user', text, accountId });
      await turns.insert(projectId, { id: this.#parts.newId(), datasetId, role: 'agent', accountId });
      await this.resume(tx, projectId, datasetId);
    });
    return this.#parts.datasets.require(projectId, datasetId);
  }

  /**
   * Notes the decision in the turn that proposed the version. With the last one of that turn the agent is called again:
   * at once, or after the run that an approval starts.
   */
  async decided(tx: Tx, { dataset, cellId, action, accountId }: Decided): Promise<void> {
    const { projectId, id: datasetId } = dataset;
    const turns = this.#turns.in(tx);
    const turn = await turns.findProposing(projectId, datasetId, cellId);
    if (turn === undefined) return;
    const cells = turn.cells.map((cell) => (cell.id === cellId ? { ...cell, action } : cell));
    const isResolved = turn.status === 'awaiting_approval' && cells.every((cell) => cell.action !== 'proposed');
    await turns.decide(projectId, turn.id, cells, isResolved);
    if (!isResolved || !this.#parts.models.isConfigured || isBusy(dataset.state)) return;
    const next = { id: this.#parts.newId(), datasetId, role: 'agent', continues: turn.id, accountId } as const;
    await turns.insert(projectId, next);
    if (action === 'denied') await this.resume(tx, projectId, datasetId);
  }

  /** Starts the turn that waits to run, if one does; in the transaction that ends what it waited for. */
  async resume(tx: Tx, projectId: string, datasetId: string): Promise<void> {
    const turn = await this.#turns.in(tx).findRunning(projectId, datasetId);
    if (turn === undefined) return;
    await this.#datasets.in(tx).setState(projectId, datasetId, ['idle', 'error'], { state: 'diagnosing' });
    await this.#parts.jobs.enqueue(tx, {
      projectId,
      kind: 'dataset_run',
      subjectId: datasetId,
      payload: { dataset_id: datasetId, step: 'turn', turn_id: turn.id },
      ...optional('accountId', turn.accountId),
    });
  }

  /** Ends the turn under way, because what it waited for or the job it ran in has failed for good. */
  async abandon(tx: Tx, projectId: string, datasetId: string, error: string): Promise<void> {
    const turns = this.#turns.in(tx);
    const turn = await turns.findRunning(projectId, datasetId);
    if (turn !== undefined) await turns.end(projectId, turn.id, { status: 'error', text: '', error });
  }
}
