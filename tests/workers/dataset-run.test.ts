import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { jobPolicies } from '../../generated/contracts/job-policies.ts';
import type { Dataset } from '../../src/domain/datasets/index.ts';
import { ACCOUNT, assemble, datasetsWorld } from '../domain/datasets/datasets-world.ts';
import type { DatasetsWorld } from '../domain/datasets/datasets-world.ts';
import { question } from '../domain/datasets/traces.ts';

/** `DATASET_KILLS=50` makes a long run of it. */
const KILLS = Number(process.env['DATASET_KILLS'] ?? 4);
const TRACES = 12;
const LEASE_MS = 1_500;
/** Enough that no job is given up: what is looked at here is what it leaves behind, not patience. */
const PATIENT = { dataset_run: { ...jobPolicies.dataset_run, attempts: 1_000 } };
const DAY_MS = 86_400_000;

describe('dataset workers that are killed while they land', function () {
  this.timeout(120_000 + KILLS * 10_000);
  const children = new Set<ChildProcess>();
  let world: DatasetsWorld;

  before(async () => {
    world = await datasetsWorld({ works: false, policies: PATIENT });
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await world.close();
  });

  it('lose nothing, double nothing and leave no file behind', async () => {
    const projectId = await world.project();
    const ids = await world.ingest(
      projectId,
      Array.from({ length: TRACES }, (_, index) => question(`Q${index}`, `A${index}`)),
    );
    const made: Dataset[] = [];
    const create = async (split: boolean): Promise<void> => {
      const { dataset, evalDataset } = await world.datasets.creation.fromTraces(projectId, {
        name: `set ${made.length}`,
        accountId: ACCOUNT,
        traceIds: ids,
        ...(split && { split: { evalPercent: 25, position: 'tail', groupBy: [], deduplicate: true } }),
      });
      made.push(dataset, ...(evalDataset ? [evalDataset] : []));
    };
    for (const split of [false, true, false]) await create(split);

    let next = startWorker();
    for (let kills = 0; kills < KILLS; kills += 1) {
      const worker = await next;
      // The one after is on its way while this one works.
      next = startWorker();
      const pending = await unfinished(projectId);
      if (pending === 0) await create(kills % 2 === 0);
      await Promise.race([begun(worker), wait(4_000)]);
      await wait(Math.random() * 600);
      worker.kill('SIGKILL');
    }
    await next;
    for (const dataset of made) {
      const landed = await world.settled(dataset);
      assert.equal(landed.state, 'idle', landed.error);
    }
    for (const child of children) child.kill('SIGKILL');

    for (const dataset of made) await assertWhole(projectId, dataset, ids);
    await assertNoOrphans(projectId);
    assert.equal(await unfinished(projectId), 0);
  });

  async function startWorker(): Promise<ChildProcess> {
    const argument = JSON.stringify({ address: world.address, folder: world.folder, leaseMs: LEASE_MS });
    const child = fork(path.join(import.meta.dirname, 'dataset-worker.ts'), [argument], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  }

  async function begun(worker: ChildProcess): Promise<void> {
    await once(worker, 'message');
  }

  async function unfinished(projectId: string): Promise<number> {
    const page = await world.jobs.list(projectId, { statuses: ['queued', 'running'], limit: 100 });
    return page.jobs.length;
  }

  async function assertWhole(projectId: string, dataset: Dataset, ids: readonly string[]): Promise<void> {
    const detail = await world.datasets.service.inspect(projectId, dataset.id);
    assert.deepEqual(
      detail.cells.map(({ position, state }) => [position, state]),
      [[0, 'ok']],
    );
    const isEval = dataset.splitSide === 'eval';
    const cut = dataset.splitSide === undefined ? ids.length : ids.length - 3;
    const expected = isEval ? ids.slice(cut) : ids.slice(0, cut);
    const rows = await world.rows(projectId, dataset.id, 'SELECT trace_id FROM t ORDER BY source_row');
    assert.deepEqual(
      rows.map((row) => row['trace_id']),
      expected,
    );
  }

  /** What killed attempts wrote is removed by the next attempt or, a day later, by the sweep; nothing else is. */
  async function assertNoOrphans(projectId: string): Promise<void> {
    const later = await assemble({ db: world.db, address: world.address, folder: world.folder });
    await later.datasets.sweep(new Date(Date.now() + 2 * DAY_MS));
    await later.delivery.stop();
    const kept: string[] = [];
    for await (const { key } of world.objects.list(`datasets/${projectId}`)) kept.push(key);
    const { datasets } = await world.datasets.service.list(projectId, { limit: 100 });
    assert.deepEqual(kept.sort(), datasets.flatMap(({ active }) => active?.table?.objectKey ?? []).sort());
    // Where objects are kept elsewhere there is no such folder.
    assert.deepEqual(await readdir(path.join(world.folder, 'objects/partial')).catch(() => []), []);
    assert.deepEqual(await readdir(path.join(world.folder, 'work')), []);
  }
});
