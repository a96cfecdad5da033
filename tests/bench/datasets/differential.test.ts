import assert from 'node:assert/strict';
import { given } from '../../support/given.ts';
import { measureDifferential } from './measure-differential.ts';
import { WorldCaller } from './world-caller.ts';

/** `make differential` is the long form of this, with 200 datasets. */
describe('query_dataset and DuckDB by hand', function () {
  this.timeout(120_000);

  it('say the same of the same rows, whatever file they are exported to', async () => {
    const caller = new WorldCaller(await given.project());
    const { datasets, compared, values } = await measureDifferential({ caller, datasets: 10, seed: 11 });
    assert.equal(datasets, 10);
    assert.ok(compared.parquet >= 20 && compared.jsonl > 0 && compared.csv > 0 && values > 100);
  });
});
