import assert from 'node:assert/strict';
import { given } from '../../support/given.ts';
import { measureQuestions } from './measure-questions.ts';
import { measureSize } from './measure-size.ts';
import { WorldCaller } from './world-caller.ts';

/** `make datasets-at-size` is the long form of this, with two files of 1 GiB, cut ten times. */
describe('large files', function () {
  this.timeout(300_000);

  it('come through a connection that is cut, a split, a step and every export without a loss', async () => {
    const caller = new WorldCaller(await given.project());
    for (const format of ['jsonl', 'csv'] as const) {
      const sizes = { bytes: 1_500_000, pieceBytes: 200_000, cuts: 3 };
      const stages = await measureSize({ caller, serverPid: process.pid, format, seed: 5, ...sizes });
      assert.deepEqual(
        stages.map(({ stage }) => stage),
        ['upload', 'land and split', 'step', 'query', 'export jsonl', 'export csv', 'export parquet'],
      );
    }
    assert.equal((await measureQuestions(caller, 2_000, 1)).length, 6);
  });
});
