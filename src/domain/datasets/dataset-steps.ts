import { monotonicMs } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { JobRun } from '../jobs/index.ts';
import { CellRepository } from './cell-repository.ts';
import { inOrder } from './cell.ts';
import type { Cell } from './cell.ts';
import type { DatasetAgent } from './dataset-agent.ts';
import { measureTable, proposedIntent } from './dataset-landing.ts';
import type { DatasetWorkParts } from './dataset-landing.ts';
import { DatasetRepository } from './dataset-repository.ts';
import { cellKey } from './object-keys.ts';
import { ObjectSweep } from './object-sweep.ts';

export interface DatasetStepsParts extends DatasetWorkParts {
  readonly agent: Pick<DatasetAgent, 'abandon' | 'resume'>;
}

/** Computes queued versions, each from the one before it, until none is left or one fails. */
export class DatasetSteps {
  readonly #parts: Pick<DatasetStepsParts, 'engine' | 'newId' | 'agent'>;
  readonly #datasets: DatasetRepository;
  readonly #cells: CellRepository;
  readonly #sweep: ObjectSweep;

  constructor(parts: DatasetStepsParts) {
    this.#parts = parts;
    this.#datasets = new DatasetRepository(parts.db);
    this.#cells = new CellRepository(parts.db);
    this.#sweep = new ObjectSweep(parts);
  }

  async run(run: JobRun, datasetId: string): Promise<void> {
    const { projectId } = run;
    const dataset = await this.#datasets.findInProject(projectId, datasetId);
    if (dataset?.state !== 'running') return;
    await this.#sweep.sweepDataset(run, datasetId);
    for (;;) {
      const cells = inOrder(await this.#cells.ofDataset(projectId, datasetId));
      const index = cells.findIndex(({ state }) => state === 'queued' || state === 'running');
      const cell = cells[index];
      if (cell === undefined) break;
      const isDone = await this.#compute(run, cell, cells[index - 1]);
      if (!isDone) return;
    }
    await run.complete(async (tx) => {
      await this.#datasets.in(tx).setState(projectId, datasetId, ['running'], { state: 'idle' });
      await this.#parts.agent.resume(tx, projectId, datasetId);
    });
  }

  /** False when the version's own statement is at fault; the dataset then says so and the job is over. */
  async #compute(run: JobRun, cell: Cell, before: Cell | undefined): Promise<boolean> {
    const { projectId, signal } = run;
    const source = before?.table;
    if (source === undefined) return this.#fail(run, cell, 'The version before it has no rows to work on.');
    await run.commit(async (tx) => {
      await this.#cells.in(tx).setState(projectId, cell.id, ['queued', 'running'], 'running');
    });
    await run.progress({ stage: `computing ${cell.title}`.slice(0, 64), rows: 0, total_rows: source.rows });
    const startedAt = monotonicMs();
    const key = cellKey(projectId, cell.datasetId, this.#parts.newId());
    try {
      const written = await this.#parts.engine.writeSelect(source.objectKey, cell.script, key, { signal });
      const table = await measureTable(this.#parts.engine, { key, written, startedAt, signal });
      await run.commit(async (tx) => {
        await this.#cells.in(tx).recordTable(projectId, cell.id, table);
        await this.#datasets.in(tx).activate(projectId, cell.datasetId, cell.id);
        await this.#datasets.in(tx).proposeIntent(projectId, cell.datasetId, proposedIntent('pending', table));
      });
      return true;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'query_invalid') throw error;
      return this.#fail(run, cell, error.message);
    }
  }

  async #fail(run: JobRun, cell: Cell, reason: string): Promise<false> {
    const { projectId } = run;
    await run.complete(async (tx) => {
      await this.#cells.in(tx).fail(projectId, cell.id, reason);
      const error = `The version "${cell.title}" failed: ${reason}`;
      await this.#datasets.in(tx).setState(projectId, cell.datasetId, ['running'], { state: 'error', error });
      await this.#parts.agent.abandon(tx, projectId, cell.datasetId, error);
    });
    return false;
  }
}
