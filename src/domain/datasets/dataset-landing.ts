import type { Db, Tx } from '../../db/database.ts';
import { monotonicMs } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import type { JobRun } from '../jobs/index.ts';
import { inferredCapability } from './capability-rank.ts';
import { CellRepository } from './cell-repository.ts';
import type { CellTable } from './cell.ts';
import { measurementsOf } from './contracts.ts';
import type { DatasetEngine, WrittenTable } from './dataset-engine.ts';
import { DatasetRepository } from './dataset-repository.ts';
import type { Dataset, DatasetIntent } from './dataset.ts';
import { landingSource } from './landing-source.ts';
import type { LandingSource } from './landing-source.ts';
import { cellKey } from './object-keys.ts';
import type { ObjectStore } from './object-store.ts';
import { ObjectSweep } from './object-sweep.ts';
import { optional } from './optional.ts';
import type { SourceTally } from './source-tally.ts';
import { overlapSelect, sideSelect, splitFlag } from './split.ts';
import type { Parting } from './split.ts';
import type { TraceSource } from './trace-source.ts';
import type { UploadService } from './upload-service.ts';

export interface DatasetWorkParts {
  readonly db: Db;
  readonly newId: IdMaker;
  readonly objects: ObjectStore;
  readonly engine: DatasetEngine;
  readonly traces: TraceSource;
  readonly uploads: Pick<UploadService, 'open'>;
}

const SOURCE_TITLE = 'Source';

/** The written rows of one dataset and what is known of the source as a whole. */
interface Landed {
  readonly dataset: Dataset;
  readonly cellId: string;
  readonly table: CellTable;
}

/**
 * Writes the source version of a dataset, or of both halves of a split. The rows are in the object store before the
 * one transaction that makes them known; an attempt that dies on the way leaves objects that nothing points to, and
 * the next attempt or the sweep removes them.
 */
export class DatasetLanding {
  readonly #parts: DatasetWorkParts;
  readonly #datasets: DatasetRepository;
  readonly #cells: CellRepository;
  readonly #sweep: ObjectSweep;

  constructor(parts: DatasetWorkParts) {
    this.#parts = parts;
    this.#datasets = new DatasetRepository(parts.db);
    this.#cells = new CellRepository(parts.db);
    this.#sweep = new ObjectSweep(parts);
  }

  async land(run: JobRun, datasetId: string): Promise<void> {
    const { projectId } = run;
    const waiting = (await this.#datasets.findLandedBy(projectId, datasetId)).filter(
      ({ state }) => state === 'landing',
    );
    const first = waiting.find(({ id }) => id === datasetId);
    // An earlier attempt committed and died before the job was marked as done.
    if (first === undefined) return;
    for (const { id } of waiting) await this.#sweep.sweepDataset(run, id);
    const source = landingSource(this.#parts, first);
    const landed =
      source.parting === undefined
        ? await this.#whole(run, first, source)
        : await this.#halves(run, waiting, source, source.parting);
    await run.complete(async (tx) => {
      for (const each of landed.datasets) await this.#record(tx, each, source.tally, landed.contamination);
    });
  }

  async #whole(
    run: JobRun,
    dataset: Dataset,
    source: LandingSource,
  ): Promise<{ readonly datasets: readonly Landed[]; readonly contamination: Readonly<Record<string, unknown>> }> {
    const startedAt = monotonicMs();
    const cellId = this.#parts.newId();
    const key = cellKey(run.projectId, dataset.id, cellId);
    const written = await this.#writeSource(run, key, source);
    return {
      datasets: [{ dataset, cellId, table: await this.#measure(run, key, written, startedAt) }],
      contamination: {},
    };
  }

  async #halves(
    run: JobRun,
    datasets: readonly Dataset[],
    source: LandingSource,
    { statement, mayOverlap }: Parting,
  ): Promise<{ readonly datasets: readonly Landed[]; readonly contamination: Readonly<Record<string, unknown>> }> {
    const { engine, newId, objects } = this.#parts;
    const { projectId, subjectId, signal } = run;
    const staging = cellKey(projectId, subjectId, newId());
    const parted = cellKey(projectId, subjectId, newId());
    try {
      const all = await this.#writeSource(run, staging, source);
      const { columns } = all;
      const flag = splitFlag(columns.map(({ name }) => name));
      await run.progress({ stage: 'parting rows', rows: all.rows });
      const { tables, select } = statement(columns, flag);
      await engine.writeSelect(staging, select, parted, { tables, signal });
      const landed: Landed[] = [];
      for (const dataset of datasets) {
        const startedAt = monotonicMs();
        const cellId = newId();
        const key = cellKey(projectId, dataset.id, cellId);
        const side = dataset.splitSide ?? 'train';
        await run.progress({ stage: `writing ${side} rows`, rows: 0 });
        const written = await engine.writeSelect(parted, sideSelect(flag, side), key, { signal });
        if (written.rows === 0) throw tooFewRows();
        landed.push({ dataset, cellId, table: await this.#measure(run, key, written, startedAt) });
      }
      const overlap = mayOverlap ? await this.#overlap(parted, overlapSelect(flag, columns), signal) : 0;
      return { datasets: landed, contamination: { overlapping_contents: overlap } };
    } finally {
      for (const key of [staging, parted]) await objects.delete(key);
    }
  }

  async #overlap(parted: string, sql: string, signal: AbortSignal): Promise<number> {
    const { rows } = await this.#parts.engine.query(parted, { sql, limit: 1, isJob: true, signal });
    return Number(rows[0]?.['overlap'] ?? 0);
  }

  async #writeSource(run: JobRun, key: string, source: LandingSource): Promise<WrittenTable> {
    const options = { signal: run.signal, onProgress: throttle(run, source.total) };
    const written = await source.write(this.#parts.engine, key, options);
    if (written.rows > 0) return written;
    throw source.gone();
  }

  async #measure(run: JobRun, key: string, written: WrittenTable, startedAt: number): Promise<CellTable> {
    await run.progress({ stage: 'measuring', rows: written.rows });
    return measureTable(this.#parts.engine, { key, written, startedAt, signal: run.signal });
  }

  async #record(
    tx: Tx,
    { dataset, cellId, table }: Landed,
    source: SourceTally,
    contamination: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { projectId, id } = dataset;
    const cells = this.#cells.in(tx);
    const datasets = this.#datasets.in(tx);
    await cells.insert(projectId, {
      id: cellId,
      datasetId: id,
      position: 0,
      title: SOURCE_TITLE,
      script: '',
      note: '',
      state: 'running',
    });
    await cells.recordTable(projectId, cellId, table);
    const rank = source.capabilities.ranked();
    const capabilityId = dataset.capabilityBinding === 'automatic' ? inferredCapability(rank) : dataset.capabilityId;
    await datasets.recordLanding(projectId, id, {
      ...optional('capabilityId', capabilityId),
      capabilityRank: rank,
      intent: proposedIntent(dataset.intent, table),
      preparationContext: source.context(),
      contaminationReport: contamination,
    });
    await datasets.activate(projectId, id, cellId);
    await datasets.setState(projectId, id, ['landing'], { state: 'idle' });
  }
}

/** Reads a written version once more and describes it as a cell's table. */
export async function measureTable(
  engine: DatasetEngine,
  made: {
    readonly key: string;
    readonly written: WrittenTable;
    readonly startedAt: number;
    readonly signal: AbortSignal;
  },
): Promise<CellTable> {
  const { key, written, startedAt, signal } = made;
  const measured = measurementsOf(await engine.measure(key, { signal }));
  return { ...written, ...measured, objectKey: key, seconds: Math.round(monotonicMs() - startedAt) / 1_000 };
}

/** What the person said, else what the rows can serve as they are. */
export function proposedIntent(given: DatasetIntent, table: CellTable): DatasetIntent {
  if (given !== 'pending') return given;
  if (table.evalReport.ok) return 'eval';
  return table.trainReport.ok ? 'train' : 'pending';
}

function tooFewRows(): AppError {
  return new AppError(
    'dataset_invalid',
    'Too few different rows are left to make two datasets; select more, or turn deduplicate or group_by off.',
  );
}

const PROGRESS_EVERY_MS = 1_000;

/** A line of progress a second at most: each one is a write. */
function throttle(run: JobRun, total: number | undefined): (rows: number) => Promise<void> {
  let next = 0;
  return async (rows) => {
    if (monotonicMs() < next) return;
    next = monotonicMs() + PROGRESS_EVERY_MS;
    await run.progress({ stage: 'reading the source', rows, ...optional('total_rows', total) });
  };
}
