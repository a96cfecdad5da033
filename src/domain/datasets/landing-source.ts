import { AppError } from '../../kernel/errors.ts';
import { callRow, CALL_COLUMNS } from './call-rows.ts';
import { callSides, toCallSpec } from './call-spec.ts';
import type { DatasetRow } from './dataset-engine.ts';
import type { Dataset } from './dataset.ts';
import { SourceTally } from './source-tally.ts';
import { sidesQuery } from './split.ts';
import { TRACE_COLUMNS, traceRow } from './trace-rows.ts';
import type { TraceSelection, TraceSource } from './trace-source.ts';
import { toTraceSpec } from './trace-spec.ts';

/** Traces held in memory at once; a single one may have thousands of spans. */
const TRACES_PER_BATCH = 10;
const CALLS_PER_BATCH = 50;

/** Where the rows of a dataset come from, read once from front to back. */
export interface LandingSource {
  readonly columns: Readonly<Record<string, string>>;
  /** Rows to expect. */
  readonly total: number;
  readonly rows: (signal: AbortSignal) => AsyncIterable<readonly DatasetRow[]>;
  /** A query that adds `split_is_eval` to the rows, for a split. */
  readonly sides?: string;
  /** Filled while the rows are read. */
  readonly tally: SourceTally;
  /** What to say when nothing is there to be read any more. */
  readonly gone: () => AppError;
}

export function landingSource(traces: TraceSource, dataset: Dataset): LandingSource {
  return dataset.sourceKind === 'llm_calls' ? callSource(traces, dataset) : traceSource(traces, dataset);
}

function traceSource(traces: TraceSource, { projectId, id, sourceSpec }: Dataset): LandingSource {
  const { selection, selected, split } = toTraceSpec(sourceSpec);
  const tally = new SourceTally('traces');
  return {
    columns: TRACE_COLUMNS,
    total: selected,
    tally,
    ...(split && { sides: sidesQuery(split, id, Object.keys(TRACE_COLUMNS)) }),
    gone: () => new AppError('no_traces', 'None of the selected traces exists any more.'),
    async *rows(signal) {
      for await (const ids of idsOf(traces, projectId, selection)) {
        for (let start = 0; start < ids.length; start += TRACES_PER_BATCH) {
          signal.throwIfAborted();
          const batch = await traces.read(projectId, ids.slice(start, start + TRACES_PER_BATCH));
          for (const trace of batch) tally.add(trace);
          yield batch.map(traceRow);
        }
      }
    },
  };
}

function callSource(traces: TraceSource, { projectId, sourceSpec }: Dataset): LandingSource {
  const { calls, evalPercent } = toCallSpec(sourceSpec);
  const tally = new SourceTally('calls');
  return {
    columns: CALL_COLUMNS,
    total: calls.length,
    tally,
    ...(evalPercent !== undefined && { sides: callSides(evalPercent) }),
    gone: () => new AppError('no_calls', 'None of the selected model calls exists any more.'),
    async *rows(signal) {
      for (let start = 0; start < calls.length; start += CALLS_PER_BATCH) {
        signal.throwIfAborted();
        const batch = await traces.readCalls(projectId, calls.slice(start, start + CALLS_PER_BATCH));
        for (const call of batch) tally.add({ ...call, failed: call.span.failed });
        yield batch.map(callRow);
      }
    },
  };
}

async function* idsOf(
  traces: TraceSource,
  projectId: string,
  selection: TraceSelection,
): AsyncIterable<readonly string[]> {
  if (selection.kind === 'ids') yield selection.traceIds;
  else yield* traces.matching(projectId, selection.filters, selection.limit);
}
