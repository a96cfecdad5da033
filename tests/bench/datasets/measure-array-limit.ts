import assert from 'node:assert/strict';
import type { BenchCaller } from './bench-caller.ts';
import { datasetOf } from './file-transfer.ts';

const LIMIT_BYTES = 256 * 2 ** 20;
const ROW_BYTES = 1_024;
const FRAME_BYTES = 2;

/** A JSON array of as many bytes as one may have lands, and one of a byte more is refused; seconds for either. */
export async function measureArrayLimit(
  caller: BenchCaller,
): Promise<{ readonly lands: number; readonly refused: number }> {
  const [atLimit, over] = [arrayOf(LIMIT_BYTES), arrayOf(LIMIT_BYTES + 1)];
  const started = performance.now();
  const dataset = await datasetOf(caller, 'limit.json', atLimit.bytes);
  const landed = performance.now();
  const { output, error } = await caller.call('query_dataset', {
    dataset,
    sql: 'SELECT count(*) AS n, sum(id) AS s FROM t',
  });
  assert.equal(error, undefined, error?.message);
  assert.deepEqual(output['rows'], [{ n: atLimit.rows, s: (atLimit.rows * (atLimit.rows - 1)) / 2 }]);
  const again = performance.now();
  await assert.rejects(datasetOf(caller, 'over.json', over.bytes), /at most 256 MiB; write one object per line/);
  return { lands: (landed - started) / 1_000, refused: (performance.now() - again) / 1_000 };
}

function arrayOf(size: number): { readonly bytes: Buffer; readonly rows: number } {
  const bytes = Buffer.alloc(size, 'x');
  const rows = Math.floor((size - FRAME_BYTES) / ROW_BYTES);
  bytes.write('[', 0);
  for (let row = 0; row < rows; row += 1) {
    const end = row === rows - 1 ? size - 1 : 1 + (row + 1) * ROW_BYTES;
    bytes.write(`{"id":${row},"text":"`, 1 + row * ROW_BYTES);
    // The last one is followed by the end of the array instead of another.
    bytes.write(row === rows - 1 ? '"}]' : '"},', end - (row === rows - 1 ? 2 : 3));
  }
  return { bytes, rows };
}
