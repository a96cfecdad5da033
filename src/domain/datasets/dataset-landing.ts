import type { Db, Tx } from '../../db/database.ts';
import { monotonicMs } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import type { JobRun } from '../jobs/index.ts';
import { CapabilityTally, inferredCapability } from './capability-rank.ts';
import { CellRepository } from './cell-repository.ts';
import type { CellTable } from './cell.ts';
import { measureRows } from './contracts.ts';
import type { DatasetEngine, DatasetRow, WrittenTable } from './dataset-engine.ts';
import { DatasetRepository } from './dataset-repository.ts';
import type { Dataset, DatasetIntent } from './dataset.ts';
import { cellKey } from './object-keys.ts';
import type { ObjectStore } from './object-store.ts';
import { ObjectSweep } from './object-sweep.ts';
import { optional } from './optional.ts';
import { overlapSelect, splitSelect } from './split.ts';
import { TRACE_COLUMNS, traceRow } from './trace-rows.ts';
import type { TraceSelection, TraceSource } from './trace-source.ts';
import { toTraceSpec } from './trace-spec.ts';
import type { TraceSpec } from './trace-spec.ts';

export interface DatasetWorkParts {
  readonly db: Db;
  readonly newId: IdMaker;
  readonly objects: ObjectStore;
  readonly engine: DatasetEngine;
  readonly traces: TraceSource;
}

/** Traces held in memory at once; a single one may have thousands of spans. */
const TRACES_PER_BATCH = 10;
const SOURCE_TITLE = 'Source';
const COLUMN_NAMES = Object.keys(TRACE_COLUMNS);

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
    for (const { id } of waiting) await this.#sweep.sweepDataset(projectId, id);
    const spec = toTraceSpec(first.sourceSpec);
    const source = new SourceTally();
    const rows = this.#rows(projectId, spec.selection, source, run.signal);
    const landed =
      spec.split === undefined
        ? await this.#whole(run, first, rows, spec)
        : await this.#halves(run, waiting, rows, spec);
    await run.complete(async (tx) => {
      for (const each of landed.datasets) await this.#record(tx, each, source, landed.contamination);
    });
  }

  async #whole(
    run: JobRun,
    dataset: Dataset,
    rows: AsyncIterable<readonly DatasetRow[]>,
    spec: TraceSpec,
  ): Promise<{ readonly datasets: readonly Landed[]; readonly contamination: Readonly<Record<string, unknown>> }> {
    const startedAt = monotonicMs();
    const cellId = this.#parts.newId();
    const key = cellKey(run.projectId, dataset.id, cellId);
    const written = await this.#writeSource(run, key, rows, spec.selected);
    return {
      datasets: [{ dataset, cellId, table: await this.#measure(run, key, written, startedAt) }],
      contamination: {},
    };
  }

  async #halves(
    run: JobRun,
    datasets: readonly Dataset[],
    rows: AsyncIterable<readonly DatasetRow[]>,
    spec: TraceSpec,
  ): Promise<{ readonly datasets: readonly Landed[]; readonly contamination: Readonly<Record<string, unknown>> }> {
    const { engine, newId, objects } = this.#parts;
    const { projectId, subjectId, signal } = run;
    const { split } = spec;
    if (split === undefined) throw new Error('Only a split has halves.');
    const staging = cellKey(projectId, subjectId, newId());
    try {
      await this.#writeSource(run, staging, rows, spec.selected);
      const landed: Landed[] = [];
      for (const dataset of datasets) {
        const startedAt = monotonicMs();
        const cellId = newId();
        const key = cellKey(projectId, dataset.id, cellId);
        const side = dataset.splitSide ?? 'train';
        await run.progress({ stage: `writing ${side} rows`, rows: 0 });
        const written = await engine.writeSelect(staging, splitSelect(split, subjectId, COLUMN_NAMES, side), key, {
          signal,
        });
        if (written.rows === 0) throw tooFewRows();
        landed.push({ dataset, cellId, table: await this.#measure(run, key, written, startedAt) });
      }
      const overlap = await engine.query(staging, {
        sql: overlapSelect(split, subjectId, COLUMN_NAMES),
        limit: 1,
        signal,
      });
      return { datasets: landed, contamination: { overlapping_contents: Number(overlap.rows[0]?.['overlap'] ?? 0) } };
    } finally {
      await objects.delete(staging);
    }
  }

  async #writeSource(
    run: JobRun,
    key: string,
    rows: AsyncIterable<readonly DatasetRow[]>,
    total: number,
  ): Promise<WrittenTable> {
    const report = throttle(run, total);
    const options = { columns: TRACE_COLUMNS, signal: run.signal, onProgress: report };
    const written = await this.#parts.engine.writeRows(key, rows, options);
    if (written.rows > 0) return written;
    throw new AppError('no_traces', 'None of the selected traces exists any more.');
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

  async *#rows(
    projectId: string,
    selection: TraceSelection,
    source: SourceTally,
    signal: AbortSignal,
  ): AsyncIterable<readonly DatasetRow[]> {
    for await (const ids of this.#ids(projectId, selection)) {
      for (let start = 0; start < ids.length; start += TRACES_PER_BATCH) {
        signal.throwIfAborted();
        const traces = await this.#parts.traces.read(projectId, ids.slice(start, start + TRACES_PER_BATCH));
        for (const trace of traces) source.add(trace);
        yield traces.map(traceRow);
      }
    }
  }

  async *#ids(projectId: string, selection: TraceSelection): AsyncIterable<readonly string[]> {
    if (selection.kind === 'ids') yield selection.traceIds;
    else yield* this.#parts.traces.matching(projectId, selection.filters, selection.limit);
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
  const names = written.columns.map(({ name }) => name);
  const measured = await measureRows(engine.batches(key, { signal }), names);
  return { ...written, ...measured, objectKey: key, seconds: Math.round(monotonicMs() - startedAt) / 1_000 };
}

/** What the person said, else what the rows can serve as they are. */
function proposedIntent(given: DatasetIntent, table: CellTable): DatasetIntent {
  if (given !== 'pending') return given;
  if (table.evalReport.ok) return 'eval';
  return table.trainReport.ok ? 'train' : 'pending';
}

function tooFewRows(): AppError {
  return new AppError(
    'dataset_invalid',
    'Too few different rows are left to make two datasets; select more traces, or turn deduplicate or group_by off.',
  );
}

const PROGRESS_EVERY_MS = 1_000;

/** A line of progress a second at most: each one is a write. */
function throttle(run: JobRun, total: number): (rows: number) => Promise<void> {
  let next = 0;
  return async (rows) => {
    if (monotonicMs() < next) return;
    next = monotonicMs() + PROGRESS_EVERY_MS;
    await run.progress({ stage: 'reading traces', rows, total_rows: total });
  };
}

/** What the source is made of, counted while it is read. */
class SourceTally {
  readonly capabilities = new CapabilityTally();
  readonly #sessions = new Set<string>();
  readonly #models = new Map<string, number>();
  #traces = 0;
  #failed = 0;

  add(trace: Awaited<ReturnType<TraceSource['read']>>[number]): void {
    this.#traces += 1;
    if (trace.failed) this.#failed += 1;
    this.capabilities.add(trace.capability);
    if (trace.session !== undefined && this.#sessions.size < SESSIONS_COUNTED_MAX) this.#sessions.add(trace.session);
    const model = trace.model ?? '';
    if (this.#models.has(model) || this.#models.size < MODELS_LISTED_MAX) {
      this.#models.set(model, (this.#models.get(model) ?? 0) + 1);
    }
  }

  context(): Readonly<Record<string, unknown>> {
    return {
      traces: this.#traces,
      failed_traces: this.#failed,
      sessions: this.#sessions.size,
      models: [...this.#models].map(([model, traces]) => ({ model, traces })),
      capabilities: this.capabilities
        .ranked()
        .map(({ name, score }) => ({ name, traces: Math.round(score * this.#traces) })),
    };
  }
}

const SESSIONS_COUNTED_MAX = 100_000;
const MODELS_LISTED_MAX = 20;
