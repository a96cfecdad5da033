import assert from 'node:assert/strict';
import { inTransaction } from '../../../src/db/database.ts';
import type { UseRequest } from '../../../src/domain/datasets/index.ts';
import { ACCOUNT, datasetsWorld } from './datasets-world.ts';
import type { DatasetsWorld } from './datasets-world.ts';
import { question } from './traces.ts';

describe('the first use of a version', function () {
  this.timeout(120_000);
  let world: DatasetsWorld;
  let projectId: string;
  before(async () => {
    world = await datasetsWorld();
    projectId = await world.project();
  });
  after(() => world.close());

  const landed = async (name: string, intent: 'train' | 'eval' = 'train') => {
    const traceIds = await world.ingest(projectId, [question('q1', 'a1'), question('q2', 'a2')]);
    const request = { name, accountId: ACCOUNT, traceIds, intent };
    const { dataset } = await world.datasets.creation.fromTraces(projectId, request);
    await world.settled(dataset);
    return dataset.id;
  };
  const step = async (dataset: string, script: string) => {
    const more = { title: 'step', note: '', accountId: ACCOUNT, isProposal: false };
    await world.datasets.preparation.addStep(projectId, dataset, { script, ...more });
    await world.settled({ projectId, id: dataset });
  };
  const use = (request: UseRequest) => inTransaction(world.db, (tx) => world.datasets.use.use(tx, projectId, request));
  const cellsOf = async (dataset: string) =>
    (await world.datasets.service.inspect(projectId, dataset)).cells.map((cell) => [
      cell.version,
      cell.isFrozen,
      cell.usedAt !== undefined,
    ]);

  it('freezes it and what it was made from, starts a major, and counts once', async () => {
    const dataset = await landed('chain');
    await step(dataset, 'SELECT * FROM t');
    await step(dataset, 'SELECT * FROM t LIMIT 1');
    assert.equal(
      (await world.datasets.use.check(projectId, { dataset, intent: 'train', cell: '1.1' })).cell.table.rows,
      2,
    );
    assert.deepEqual(
      (await cellsOf(dataset)).map(([version, frozen]) => [version, frozen]),
      [
        ['1.0', false],
        ['1.1', false],
        ['1.2', false],
      ],
    );
    const used = await use({ dataset, intent: 'train', cell: '1.1' });
    assert.deepEqual([used.cell.version, used.cell.isFrozen], ['2.0', true]);
    const expected = [
      ['1.0', true, false],
      ['2.0', true, true],
      ['2.1', false, false],
    ];
    assert.deepEqual(await cellsOf(dataset), expected);
    const again = await use({ dataset, intent: 'train', cell: used.cell.id });
    assert.deepEqual(again.cell.usedAt, used.cell.usedAt);
    assert.deepEqual(await cellsOf(dataset), expected);
    await step(dataset, 'SELECT * FROM t');
    assert.deepEqual(await cellsOf(dataset), [...expected, ['2.2', false, false]]);
    assert.equal((await use({ dataset, intent: 'train' })).cell.version, '3.0');
  });

  it('does not happen when the work it is for is not started', async () => {
    const dataset = await landed('undone');
    const undone = inTransaction(world.db, async (tx) => {
      await world.datasets.use.use(tx, projectId, { dataset, intent: 'train' });
      throw new Error('no credit');
    });
    await assert.rejects(undone, /no credit/);
    assert.deepEqual(await cellsOf(dataset), [['1.0', false, false]]);
  });

  it('is refused to another intent, to rows that do not fit, and to versions that are not there', async () => {
    const train = await landed('for training');
    const wrong = { dataset: train, intent: 'eval' } as const;
    await assert.rejects(use(wrong), { code: 'dataset_invalid', message: /is for training.*evaluation/ });
    await assert.rejects(world.datasets.use.check(projectId, wrong), { code: 'dataset_invalid' });
    const evaluation = await landed('for evaluation', 'eval');
    const unfit = { dataset: evaluation, intent: 'eval' } as const;
    await assert.rejects(use(unfit), { code: 'dataset_invalid', message: /Version 1\.0 .*expected_output/ });
    await assert.rejects(use({ dataset: train, intent: 'train', cell: '9.9' }), { code: 'cell_not_found' });
    await assert.rejects(use({ dataset: 'nope', intent: 'train' }), { code: 'dataset_not_found' });
    const elsewhere = world.datasets.use.check(await world.project(), { dataset: train, intent: 'train' });
    await assert.rejects(elsewhere, { code: 'dataset_not_found' });
    assert.deepEqual(await cellsOf(train), [['1.0', false, false]]);
  });

  it('is not promised for rows that are gone', async () => {
    const dataset = await landed('gone');
    const { cell } = await world.datasets.use.check(projectId, { dataset, intent: 'train' });
    await world.objects.delete(cell.table.objectKey);
    await assert.rejects(world.datasets.use.check(projectId, { dataset, intent: 'train' }), { code: 'unavailable' });
  });
});
