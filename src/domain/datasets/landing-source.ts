import { AppError } from '../../kernel/errors.ts';
import { callRow, CALL_COLUMNS } from './call-rows.ts';
import { callParting, toCallSpec } from './call-spec.ts';
import type { DatasetEngine, DatasetRow, WrittenTable } from './dataset-engine.ts';
import type { Dataset } from './dataset.ts';
import { toFileSpec } from './file-spec.ts';
import { SourceTally } from './source-tally.ts';
import { parting } from './split.ts';
import type { Parting } from './split.ts';
import { TRACE_COLUMNS, traceRow } from './trace-rows.ts';
import type { TraceSelection, TraceSource } from './trace-source.ts';
import { toTraceSpec } from './trace-spec.ts';
import type { UploadService } from './upload-service.ts';

/** Traces held in memory at once; a single one may have thousands of spans. */
const TRACES_PER_BATCH = 10;
const CALLS_PER_BATCH = 50;

/** Where the rows of a dataset come from, read once from front to back. */
export interface LandingSource {
  /** Rows to expect, when that is known. */
  readonly total?: number;
  /** Writes the rows as a new object. */
  readonly write: (engine: DatasetEngine, key: string, options: WriteOptions) => Promise<WrittenTable>;
  /** For a split. */
  readonly parting?: Parting;
  /** Filled while the rows are read. */
  readonly tally: SourceTally;
  /** What to say when nothing is there to be read any more. */
  readonly gone: () => AppError;
}

export interface WriteOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (rows: number) => Promise<void>;
}

export interface LandingSourceParts {
  readonly traces: TraceSource;
  readonly uploads: Pick<UploadService, 'open'>;
}

export function landingSource({ traces, uploads }: LandingSourceParts, dataset: Dataset): LandingSource {
  switch (dataset.sourceKind) {
    case 'llm_calls':
      return callSource(traces, dataset);
    case 'traces':
      return traceSource(traces, dataset);
    case 'file':
      return fileSource(uploads, dataset);
  }
}

function fileSource(uploads: Pick<UploadService, 'open'>, { projectId, id, sourceSpec }: Dataset): LandingSource {
  const { uploads: ids, split } = toFileSpec(sourceSpec);
  return {
    tally: new SourceTally('files'),
    gone: () => new AppError('dataset_invalid', 'The files hold no rows.'),
    write: async (engine, key, options) => engine.writeFiles(key, await uploads.open(projectId, ids), options),
    ...(split && { parting: parting(split, id) }),
  };
}

function traceSource(traces: TraceSource, { projectId, id, sourceSpec }: Dataset): LandingSource {
  const { selection, selected, split } = toTraceSpec(sourceSpec);
  const tally = new SourceTally('traces');
  return {
    total: selected,
    tally,
    ...(split && { parting: parting(split, id) }),
    gone: () => new AppError('no_traces', 'None of the selected traces exists any more.'),
    ...writesRows(TRACE_COLUMNS, async function* (signal) {
      for await (const ids of idsOf(traces, projectId, selection)) {
        for (let start = 0; start < ids.length; start += TRACES_PER_BATCH) {
          signal.throwIfAborted();
          const batch = await traces.read(projectId, ids.slice(start, start + TRACES_PER_BATCH));
          for (const trace of batch) tally.add(trace);
          yield batch.map(traceRow);
        }
      }
    }),
  };
}

function callSource(traces: TraceSource, { projectId, sourceSpec }: Dataset): LandingSource {
  const { calls, evalPercent } = toCallSpec(sourceSpec);
  const tally = new SourceTally('calls');
  return {
    total: calls.length,
    tally,
    ...(evalPercent !== undefined && { parting: callParting(evalPercent) }),
    gone: () => new AppError('no_calls', 'None of the selected model calls exists any more.'),
    ...writesRows(CALL_COLUMNS, async function* (signal) {
      for (let start = 0; start < calls.length; start += CALLS_PER_BATCH) {
        signal.throwIfAborted();
        const batch = await traces.readCalls(projectId, calls.slice(start, start + CALLS_PER_BATCH));
        for (const call of batch) tally.add({ ...call, failed: call.span.failed });
        yield batch.map(callRow);
      }
    }),
  };
}

function writesRows(
  columns: Readonly<Record<string, string>>,
  rows: (signal: AbortSignal) => AsyncIterable<readonly DatasetRow[]>,
): Pick<LandingSource, 'write'> {
  return { write: (engine, key, options) => engine.writeRows(key, rows(options.signal), { columns, ...options }) };
}

async function* idsOf(
  traces: TraceSource,
  projectId: string,
  selection: TraceSelection,
): AsyncIterable<readonly string[]> {
  if (selection.kind === 'ids') yield selection.traceIds;
  else yield* traces.matching(projectId, selection.filters, selection.limit);
}
