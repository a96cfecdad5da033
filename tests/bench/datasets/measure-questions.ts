import assert from 'node:assert/strict';
import type { BenchCaller } from './bench-caller.ts';
import { datasetOf } from './file-transfer.ts';
import { summarize, type Latency } from './latency.ts';

const QUESTIONS: Readonly<Record<string, string>> = {
  'count and sum': 'SELECT count(*) AS n, sum(score) AS s FROM t',
  filter: "SELECT count(*) AS n FROM t WHERE label = 'l3' AND score > 50",
  'text search': "SELECT count(*) AS n FROM t WHERE input LIKE '%number 99999%'",
  'group by': 'SELECT label, count(*) AS n, avg(score) AS mean FROM t GROUP BY label ORDER BY label',
  'top ten': 'SELECT id, score FROM t ORDER BY score DESC, id LIMIT 10',
  'one row': 'SELECT * FROM t WHERE source_row = 700000',
};
const LABELS = 10;

/** How long questions over a dataset of so many rows take over MCP. */
export async function measureQuestions(
  caller: BenchCaller,
  rows: number,
  samples: number,
): Promise<readonly Latency[]> {
  const lines = ['id,input,label,score\n'];
  for (let id = 1; id <= rows; id += 1) lines.push(`${id},question number ${id},l${id % LABELS},${(id % 1_000) / 8}\n`);
  const dataset = await datasetOf(caller, 'questions.csv', lines.join(''));
  const latencies: Latency[] = [];
  for (const [name, sql] of Object.entries(QUESTIONS)) {
    const times: number[] = [];
    for (let sample = -2; sample < samples; sample += 1) {
      const started = performance.now();
      const { output, error } = await caller.call('query_dataset', { dataset, sql });
      if (sample >= 0) times.push(performance.now() - started);
      assert.equal(error, undefined, error?.message);
      if (name === 'count and sum') assert.deepEqual(output['rows'], [{ n: rows, s: scoreSum(rows) }]);
    }
    latencies.push(summarize(name, times));
  }
  return latencies;
}

function scoreSum(rows: number): number {
  let sum = 0;
  for (let id = 1; id <= rows; id += 1) sum += (id % 1_000) / 8;
  return sum;
}
