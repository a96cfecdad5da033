import assert from 'node:assert/strict';
import { newId } from '../../../src/kernel/ids.ts';
import type { StoredObject } from '../../../src/domain/datasets/index.ts';
import { s3World } from '../../providers/s3-world.ts';
import { ACCOUNT, datasetsWorld } from './datasets-world.ts';
import { question } from './traces.ts';

describe('datasets on an S3 server', function () {
  this.timeout(120_000);

  it('land, split, grow by a step and are queried; what no version needs is swept', async () => {
    const server = await s3World();
    const objects = server.store('installation');
    const world = await datasetsWorld({ objects });
    try {
      const projectId = await world.project();
      const fixtures = Array.from({ length: 10 }, (_, index) => question(`q${index}`, `a${index}`));
      const traceIds = await world.ingest(projectId, fixtures);
      const split = { evalPercent: 20, position: 'tail', groupBy: [], deduplicate: true } as const;
      const request = { name: 'set', accountId: ACCOUNT, traceIds, split };
      const { dataset, evalDataset } = await world.datasets.creation.fromTraces(projectId, request);
      assert.equal((await world.settled(dataset)).state, 'idle');
      assert.equal((await world.rows(projectId, evalDataset?.id ?? '')).length, 2);
      await world.datasets.preparation.addStep(projectId, dataset.id, {
        title: 'Half',
        script: 'SELECT * FROM t WHERE source_row % 2 = 0',
        note: '',
        accountId: ACCOUNT,
        isProposal: false,
      });
      assert.equal((await world.settled(dataset)).state, 'idle');
      assert.deepEqual(
        (await world.rows(projectId, dataset.id)).map((row) => row['input']),
        ['q1', 'q3', 'q5', 'q7'],
      );
      const orphan = `datasets/${projectId}/${dataset.id}/${newId()}.parquet`;
      await objects.put(orphan, bytes());
      assert.equal((await all(objects.list('datasets'))).length, 4);
      await world.datasets.preparation.addStep(projectId, dataset.id, {
        title: 'One',
        script: 'SELECT * FROM t LIMIT 1',
        note: '',
        accountId: ACCOUNT,
        isProposal: false,
      });
      assert.equal((await world.settled(dataset)).state, 'idle');
      const left = await all(objects.list('datasets'));
      assert.equal(left.length, 4);
      assert.ok(!left.includes(orphan));
    } finally {
      await world.close();
      await server.close();
    }
  });
});

async function* bytes(): AsyncIterable<Uint8Array> {
  yield Promise.resolve(Buffer.from('left'));
}

async function all(found: AsyncIterable<StoredObject>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of found) keys.push(key);
  return keys;
}
