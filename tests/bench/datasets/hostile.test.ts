import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { emptyDatabaseUrl } from '../../support/process.ts';
import { measureHostile } from './measure-hostile.ts';

/** `make hostile-queries` is the long form of this, with 500 statements. */
describe('hostile statements against a real server', function () {
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), 'overmind-hostile-'));

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('reach nothing, leave nothing and keep nobody from an answer', async () => {
    const { outcomes, during, engines } = await measureHostile({
      server: resolve('dist/src/app/main.js'),
      dataDir: join(folder, 'data'),
      databaseUrl: await emptyDatabaseUrl(),
      count: 33,
      seed: 1,
      rounds: 1,
      idleMs: 200,
    });
    assert.equal(outcomes.length, 33);
    assert.ok(new Set(outcomes.map(({ kind }) => kind)).size === 33);
    assert.ok(outcomes.filter(({ outcome }) => outcome !== 'answered').length >= 20);
    assert.ok(during.length === 5 && during.every(({ count }) => count > 0));
    assert.ok(engines <= 6, 'two for statements, two for patient ones, two for jobs');
  });
});
