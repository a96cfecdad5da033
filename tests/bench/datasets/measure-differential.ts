import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { BenchCaller } from './bench-caller.ts';
import { ByHand, type HandAnswer, type HandFile } from './by-hand.ts';
import { differentialCases, type DifferentialCase } from './differential-cases.ts';
import { datasetOf } from './file-transfer.ts';
import { isSame } from './same-value.ts';

interface DifferentialOptions {
  readonly caller: BenchCaller;
  readonly datasets: number;
  readonly seed: number;
  readonly onProgress?: (line: string) => void;
}

interface DifferentialFigures {
  readonly datasets: number;
  /** Statements compared, by the format of the exported file they were run over by hand. */
  readonly compared: Readonly<Record<HandFile['format'], number>>;
  readonly values: number;
  /** Answers that were cut, and statements that both refuse. */
  readonly cut: number;
  readonly refused: number;
}

const LIMIT = 100;
const EXPORTS = ['parquet', 'jsonl', 'csv'] as const;

/** Asks query_dataset and DuckDB by hand the same of the same rows, and asserts that they say the same. */
export async function measureDifferential(options: DifferentialOptions): Promise<DifferentialFigures> {
  const { datasets, seed, onProgress = () => undefined } = options;
  const folder = mkdtempSync(join(tmpdir(), 'differential-'));
  const hand = await ByHand.open();
  const tally = { datasets: 0, compared: { parquet: 0, jsonl: 0, csv: 0 }, values: 0, cut: 0, refused: 0 };
  try {
    for (const [index, each] of fc.sample(differentialCases(), { numRuns: datasets, seed }).entries()) {
      const label = `seed ${seed}, dataset ${index}`;
      await compare({ ...options, folder, hand, tally, label }, each);
      tally.datasets += 1;
      if (tally.datasets % 20 === 0) onProgress(`${tally.datasets} datasets, ${tally.values} values are the same`);
    }
  } finally {
    hand.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return tally;
}

interface Comparison extends DifferentialOptions {
  readonly folder: string;
  readonly hand: ByHand;
  readonly label: string;
  readonly tally: {
    datasets: number;
    compared: Record<HandFile['format'], number>;
    values: number;
    cut: number;
    refused: number;
  };
}

async function compare(run: Comparison, { format, content, statements }: DifferentialCase): Promise<void> {
  const { caller, folder, hand, label } = run;
  let bytes = Buffer.from(content);
  if (format === 'parquet') {
    const path = join(folder, 'source.parquet');
    await hand.writeParquet(content, path);
    bytes = readFileSync(path);
  }
  const dataset = await datasetOf(caller, `${label}.${format}`, bytes);
  const files: HandFile[] = [];
  for (const each of EXPORTS) {
    const path = join(folder, `exported.${each}`);
    writeFileSync(path, await exported(caller, dataset, each));
    const columns = files[0]?.columns ?? (await hand.columnsOf(path));
    if (each === 'parquet' || columns.every(({ type }) => isKeptBy(each, type)))
      files.push({ path, format: each, columns });
  }
  for (const sql of statements) await compareStatement(run, dataset, files, sql);
}

async function compareStatement(
  run: Comparison,
  dataset: string,
  files: readonly HandFile[],
  sql: string,
): Promise<void> {
  const { caller, hand, label, tally } = run;
  const { output, error } = await caller.call('query_dataset', { dataset, sql, limit: LIMIT });
  for (const file of files) {
    const by = await hand.answer(file, sql).catch((fault: unknown) => String(fault));
    const where = `${label}, ${file.format}: ${sql}`;
    if (typeof by === 'string' || error !== undefined) {
      assert.ok(
        typeof by === 'string' && error?.code === 'query_invalid',
        `${where}: ${error?.message ?? ''} against ${JSON.stringify(by).slice(0, 500)}`,
      );
      tally.refused += 1;
    } else if (output['truncated'] === true) {
      tally.cut += 1;
    } else {
      tally.values += assertSame(output, by, where);
      tally.compared[file.format] += 1;
    }
  }
}

function assertSame(output: Readonly<Record<string, unknown>>, by: HandAnswer, where: string): number {
  // because the output of query_dataset is of its contract
  const rows = output['rows'] as readonly Readonly<Record<string, unknown>>[];
  const names = (output['columns'] as readonly { readonly name: string }[]).map(({ name }) => name);
  assert.deepEqual(
    names,
    by.columns.map(({ name }) => name),
    where,
  );
  assert.equal(rows.length, by.rows.length, `${where}: rows`);
  for (const [row, expected] of by.rows.entries()) {
    for (const [index, { name, type, isNested }] of by.columns.entries()) {
      const [answered, text] = [rows[row]?.[name], expected[index] ?? null];
      assert.ok(
        isSame(answered, text, type, isNested),
        `${where}\nrow ${row + 1}, ${name} ${type}: ${JSON.stringify(answered)} against ${text}`,
      );
    }
  }
  return by.rows.length * by.columns.length;
}

/** Whether a file of the format can be read back as this type without loss. */
function isKeptBy(format: 'jsonl' | 'csv', type: string): boolean {
  if (format === 'jsonl') return !/DECIMAL/.test(type);
  return !/\[|STRUCT|MAP|JSON|DECIMAL/.test(type);
}

async function exported(caller: BenchCaller, dataset: string, format: (typeof EXPORTS)[number]): Promise<Uint8Array> {
  const file = await caller.client().export_dataset({ parameters: { project_id: caller.projectId, dataset, format } });
  return file.bytes();
}
