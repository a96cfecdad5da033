import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../../../generated/client/index.ts';
import type { BenchCaller } from './bench-caller.ts';
import { CuttingProxy } from '../../support/cutting-proxy.ts';
import { generatedFile, type GeneratedFile } from './generated-file.ts';
import { MemoryWatch, type MemoryPeaks } from './memory-watch.ts';

interface SizeOptions {
  readonly caller: BenchCaller;
  readonly serverPid: number;
  readonly format: 'jsonl' | 'csv';
  readonly bytes: number;
  readonly cuts: number;
  readonly pieceBytes: number;
  readonly seed: number;
  readonly onProgress?: (line: string) => void;
}

export interface SizeStage {
  readonly stage: string;
  readonly seconds: number;
  readonly note: string;
  readonly peaks: MemoryPeaks;
}

const EVAL_PERCENT = 10;

/** Takes one large file all the way through, and asserts that nothing of it is lost, doubled or changed. */
export async function measureSize(options: SizeOptions): Promise<readonly SizeStage[]> {
  const { serverPid, format, bytes, seed, onProgress = () => undefined } = options;
  const { caller } = options;
  const file = generatedFile(format, bytes, seed);
  const watch = new MemoryWatch(serverPid);
  const stages: SizeStage[] = [];
  const stage = async <T>(name: string, work: () => Promise<readonly [T, string]>): Promise<T> => {
    watch.take();
    const started = performance.now();
    const [result, note] = await work();
    const done = { stage: name, seconds: (performance.now() - started) / 1_000, note, peaks: watch.take() };
    stages.push(done);
    onProgress(`${format}: ${name} in ${done.seconds.toFixed(1)} s, ${note}`);
    return result;
  };
  try {
    const upload = await stage('upload', () => sendCut(options, file));
    const sides = await stage('land and split', () => land(caller, file, upload));
    const train = sides.find(({ name }) => name.endsWith('train'))?.id ?? '';
    const stepped = await stage('step', () => step(caller, train));
    await stage('query', () =>
      checkSums(
        caller,
        file,
        sides.map(({ id }) => id),
      ),
    );
    for (const to of ['jsonl', 'csv', 'parquet'] as const)
      await stage(`export ${to}`, () => exportAs(caller, train, to, stepped));
  } finally {
    watch.stop();
  }
  return stages;
}

/** Sends the file over a connection that breaks, and goes on each time where the server says that it is. */
async function sendCut(
  { caller, cuts, pieceBytes }: SizeOptions,
  file: GeneratedFile,
): Promise<readonly [string, string]> {
  const places = Array.from({ length: cuts }, (_, index) => Math.floor((file.sizeBytes * (index + 0.5)) / cuts));
  const proxy = await CuttingProxy.start(Number(new URL(caller.origin).port), places);
  const client = caller.client(proxy.origin);
  const parameters = { project_id: caller.projectId };
  try {
    const body = { file_name: file.name, size_bytes: file.sizeBytes, sha256: file.sha256 };
    const { id } = await client.begin_upload({ parameters, body });
    const at = { ...parameters, upload_id: id };
    let [received, resumed] = [0, 0];
    while (received < file.sizeBytes) {
      try {
        for (const piece of file.from(received, pieceBytes)) {
          const chunk = { ...at, offset: String(received), sha256: createHash('sha256').update(piece).digest('hex') };
          const sent = { contentType: 'application/octet-stream', bytes: piece };
          received = (await client.put_upload_chunk({ parameters: chunk, body: sent })).received_bytes;
        }
      } catch (error) {
        if (error instanceof ApiError) throw error;
        resumed += 1;
        received = await receivedBytes(() => client.get_upload({ parameters: at }));
      }
    }
    assert.equal(received, file.sizeBytes);
    assert.equal(proxy.cuts, cuts);
    return [id, `${file.sizeBytes} bytes, ${file.rows} rows, cut ${proxy.cuts} times, gone on with ${resumed} times`];
  } finally {
    await proxy.stop();
  }
}

async function receivedBytes(ask: () => Promise<{ readonly received_bytes: number }>): Promise<number> {
  for (;;) {
    try {
      return (await ask()).received_bytes;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      await wait(20);
    }
  }
}

interface Side {
  readonly id: string;
  readonly name: string;
}

async function land(
  caller: BenchCaller,
  file: GeneratedFile,
  upload: string,
): Promise<readonly [readonly Side[], string]> {
  const name = `At size ${file.name}`;
  const made = await caller.client().create_dataset({
    parameters: { project_id: caller.projectId },
    body: { name, uploads: [upload], split: { eval_percent: EVAL_PERCENT, position: 'random' } },
  });
  const job = await caller.finishJob(made.job);
  assert.equal(job['status'], 'idle', JSON.stringify(job));
  const { output } = await caller.call('list_datasets', { search: name });
  // because the output of list_datasets is of its contract
  const sides = output['datasets'] as readonly Side[];
  assert.equal(sides.length, 2);
  return [sides, `the checksum of the file was ${file.sha256.slice(0, 12)}…`];
}

/** A new version with one column more; the rows it has. */
async function step(caller: BenchCaller, dataset: string): Promise<readonly [number, string]> {
  const sql = 'SELECT *, length(input) AS input_length FROM t WHERE id % 10 <> 7';
  const { output, error } = await caller.call('add_dataset_step', { dataset, title: 'Lengths', sql });
  assert.equal(error, undefined);
  // because the output of add_dataset_step holds its job
  const job = await caller.finishJob(output['job'] as { kind: string; id: string });
  assert.equal(job['status'], 'idle', JSON.stringify(job));
  const [row] = await rowsOf(caller, dataset, 'SELECT count(*) AS n, count(input_length) AS m FROM t');
  assert.equal(row?.['n'], row?.['m']);
  const rows = Number(row?.['n']);
  return [rows, `${rows} rows`];
}

/** Both sides of the source version together are the file. */
async function checkSums(
  caller: BenchCaller,
  file: GeneratedFile,
  sides: readonly string[],
): Promise<readonly [undefined, string]> {
  const sums = { n: 0, ids: 0, lengths: 0 };
  const shares: number[] = [];
  for (const dataset of sides) {
    const [row] = await rowsOf(
      caller,
      dataset,
      'SELECT count(*) AS n, sum(id) AS ids, sum(length(input)) AS lengths FROM t',
      '1.0',
    );
    sums.n += Number(row?.['n']);
    sums.ids += Number(row?.['ids']);
    sums.lengths += Number(row?.['lengths']);
    shares.push(Number(row?.['n']) / file.rows);
  }
  assert.deepEqual(sums, { n: file.rows, ids: file.idSum, lengths: file.lengthSum });
  assert.ok(Math.abs(Math.min(...shares) - EVAL_PERCENT / 100) < 0.001, String(shares));
  return [undefined, `${sums.n} rows, sums of ids and lengths are those of the file`];
}

async function rowsOf(
  caller: BenchCaller,
  dataset: string,
  sql: string,
  cell?: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { output, error } = await caller.call('query_dataset', { dataset, sql, ...(cell !== undefined && { cell }) });
  assert.equal(error, undefined, error?.message);
  // because the output of query_dataset is of its contract
  return output['rows'] as readonly Readonly<Record<string, unknown>>[];
}

async function exportAs(
  caller: BenchCaller,
  dataset: string,
  format: 'jsonl' | 'csv' | 'parquet',
  rows: number,
): Promise<readonly [undefined, string]> {
  const parameters = { project_id: caller.projectId, dataset, format };
  const file = await caller.client().export_dataset({ parameters });
  const hash = createHash('sha256');
  let [bytes, lines] = [0, 0];
  for await (const part of file.stream) {
    hash.update(part);
    bytes += part.length;
    for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, at + 1)) lines += 1;
  }
  assert.equal(file.headers.get('content-length'), String(bytes));
  assert.equal(file.headers.get('repr-digest'), `sha-256=:${hash.digest('base64')}:`);
  assert.equal(file.headers.get('x-overmind-rows'), String(rows));
  if (format !== 'parquet') assert.equal(lines, format === 'csv' ? rows + 1 : rows);
  return [undefined, `${bytes} bytes with the digest announced, ${rows} rows`];
}
