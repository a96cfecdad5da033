import type { Db } from '../../db/database.ts';
import type { JobRun } from '../jobs/index.ts';
import { CellRepository } from './cell-repository.ts';
import type { DatasetEngine } from './dataset-engine.ts';
import { datasetPrefix, DATASETS_PREFIX, projectOfKey } from './object-keys.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';

interface ObjectSweepParts {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly engine: DatasetEngine;
}

const KEYS_PER_QUESTION = 500;

/** Removes objects that no cell points to: what attempts that died or lost their job had written. */
export class ObjectSweep {
  readonly #cells: CellRepository;
  readonly #objects: ObjectStore;
  readonly #engine: DatasetEngine;

  constructor({ db, objects, engine }: ObjectSweepParts) {
    this.#cells = new CellRepository(db);
    this.#objects = objects;
    this.#engine = engine;
  }

  /**
   * For the attempt that holds the dataset's job: every object without a cell is an earlier attempt's. What a later
   * attempt writes has no cell for a while either, so the job must still be this one's after the objects were listed:
   * an attempt that woke up too late throws `LostLease` and removes nothing.
   */
  async sweepDataset(run: JobRun, datasetId: string): Promise<number> {
    const { projectId } = run;
    const keys = await keysOf(this.#objects.list(datasetPrefix(projectId, datasetId)));
    if (keys.length === 0) return 0;
    const used = await run.commit((tx) => this.#cells.in(tx).keysInUse(projectId, keys));
    return this.#removeOthers(keys, used);
  }

  /** For everyone, now and then. `before` must lie further back than the longest job, whose object has no cell yet. */
  async sweepAll(before: Date): Promise<number> {
    let removed = await this.#objects.sweepPartial(before);
    removed += await this.#engine.sweep(before);
    let projectId = '';
    let found: StoredObject[] = [];
    for await (const object of this.#objects.list(DATASETS_PREFIX)) {
      if (projectOfKey(object.key) !== projectId || found.length >= KEYS_PER_QUESTION) {
        removed += await this.#removeUnused(projectId, found);
        found = [];
        projectId = projectOfKey(object.key);
      }
      if (object.modifiedAt < before) found.push(object);
    }
    return removed + (await this.#removeUnused(projectId, found));
  }

  async #removeUnused(
    projectId: string,
    objects: Iterable<StoredObject> | AsyncIterable<StoredObject>,
  ): Promise<number> {
    const keys = await keysOf(objects);
    if (keys.length === 0) return 0;
    return this.#removeOthers(keys, await this.#cells.keysInUse(projectId, keys));
  }

  async #removeOthers(keys: readonly string[], used: ReadonlySet<string>): Promise<number> {
    const unused = keys.filter((key) => !used.has(key));
    for (const key of unused) await this.#objects.delete(key);
    return unused.length;
  }
}

async function keysOf(objects: Iterable<StoredObject> | AsyncIterable<StoredObject>): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of objects) keys.push(key);
  return keys;
}
