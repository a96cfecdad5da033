import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { emptyDatabaseUrl } from '../../support/process.ts';
import { measureScale } from './measure.ts';

/** `make scale` is the long form of this, with a million spans. */
describe('ingest and questions, measured small', function () {
  this.timeout(180_000);
  const dataDir = mkdtempSync(join(tmpdir(), 'overmind-scale-'));

  after(() => rmSync(dataDir, { recursive: true, force: true }));

  it('take in both encodings whole and answer every question', async () => {
    const figures = await measureScale({
      server: resolve('dist/src/app/main.js'),
      dataDir,
      databaseUrls: [await emptyDatabaseUrl(), await emptyDatabaseUrl()],
      sizes: [2_000, 8_000],
      samples: 1,
    });
    assert.deepEqual(
      figures.ingest.map(({ spans }) => spans),
      [2_000, 8_000],
    );
    assert.ok(figures.ingest.every(({ spansPerSecond, peakMib }) => spansPerSecond > 0 && peakMib > 0));
    const rowsOf = (name: string) => figures.questions.find((question) => question.name === name)?.rows;
    assert.deepEqual(rowsOf('traces: none'), [20, 20]);
    assert.deepEqual(rowsOf('spans: none'), [20, 20]);
    assert.deepEqual(rowsOf('traces: next page, order -status_code'), [20, 20]);
    assert.deepEqual(rowsOf('spans: next page, order name'), [20, 20]);
    assert.deepEqual(rowsOf('traces: search a trace id'), [1, 1]);
    assert.deepEqual(rowsOf('spans: search a trace id'), [10, 10]);
    assert.deepEqual(rowsOf('traces: model, rare'), [1, 2]);
    assert.deepEqual(rowsOf('traces: search, rare'), [1, 2]);
    assert.deepEqual(rowsOf('traces: search, nothing'), [0, 0]);
  });
});
