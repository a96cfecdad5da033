import type { SplitOptions } from './split.ts';

/** The stored source of a dataset made from files. */
export interface FileSpec {
  readonly kind: 'file';
  /** In row order. */
  readonly uploads: readonly string[];
  readonly split?: SplitOptions;
}

export function toFileSpec(sourceSpec: unknown): FileSpec {
  // because DatasetCreation writes nothing else for this source kind
  return sourceSpec as FileSpec;
}
