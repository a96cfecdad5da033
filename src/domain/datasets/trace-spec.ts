import type { SplitOptions } from './split.ts';
import type { TraceSelection } from './trace-source.ts';

/** The stored source of a dataset made from traces. */
export interface TraceSpec {
  readonly kind: 'traces';
  readonly selection: TraceSelection;
  /** How many traces were selected when the dataset was made. */
  readonly selected: number;
  readonly split?: SplitOptions;
}

export function toTraceSpec(sourceSpec: unknown): TraceSpec {
  // because DatasetCreation writes nothing else for this source kind
  return sourceSpec as TraceSpec;
}
