import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DatasetRow } from '../../src/domain/datasets/index.ts';
import { DuckDbDatasetEngine } from '../../src/providers/dataset-engine/duckdb-dataset-engine.ts';
import type { DuckDbEngineOptions } from '../../src/providers/dataset-engine/duckdb-dataset-engine.ts';
import { LocalObjectStore } from '../../src/providers/object-store/local-object-store.ts';

export interface EngineWorld {
  readonly root: string;
  readonly objects: LocalObjectStore;
  readonly engine: DuckDbDatasetEngine;
  /** Writes rows as one object and answers its key. */
  table(rows: readonly DatasetRow[], columns?: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
}

/** An engine of its own over a temporary folder. */
export async function engineWorld(options: Partial<DuckDbEngineOptions> = {}): Promise<EngineWorld> {
  const root = await mkdtemp(path.join(tmpdir(), 'engine-'));
  const objects = new LocalObjectStore(path.join(root, 'objects'));
  const engine = new DuckDbDatasetEngine({ objects, workFolder: path.join(root, 'work'), ...options });
  let count = 0;
  return {
    root,
    objects,
    engine,
    table: async (rows, columns) => {
      const key = `tables/${(count += 1)}.parquet`;
      await engine.writeRows(key, inBatches(rows), columns && { columns });
      return key;
    },
    close: async () => {
      await engine.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

export async function* inBatches(rows: readonly DatasetRow[], size = 1_000): AsyncIterable<readonly DatasetRow[]> {
  for (let start = 0; start < rows.length; start += size) yield Promise.resolve(rows.slice(start, start + size));
}
