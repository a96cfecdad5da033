import { readFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createProver, type Containment } from '../../codegen/contain/contains.ts';
import type { JsonSchema } from '../../codegen/model/types.ts';

/**
 * Measures the prover on a file of schema pairs with known truth, one JSON object a line:
 * `{ case, schema1, schema2, s1SubsetEqOfs2, s2SubsetEqOfs1? }`.
 *
 *     node --import=tsx tests/gate/containment-suite.ts PATH   (or the setting CONTAINMENT_SUITE)
 *
 * Formats are asserted for the cases the suite takes from its group of optional formats and annotations elsewhere,
 * which is how the suite they come from reads them.
 */
interface Pair {
  readonly case: string;
  readonly schema1: JsonSchema;
  readonly schema2: JsonSchema;
  readonly s1SubsetEqOfs2?: boolean;
  readonly s2SubsetEqOfs1?: boolean;
}

interface Tally {
  questions: number;
  right: number;
  wrong: string[];
  unknown: string[];
  refutations: number;
  slowest: { name: string; milliseconds: number };
}

const FILE = 'draft2020-12.jsonl';

export function runSuite(path: string): Tally {
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, FILE) : path;
  const pairs = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const plain = createProver({ formats: 'annotation' });
  const asserting = createProver({ formats: 'assert' });
  const tally: Tally = {
    questions: 0,
    right: 0,
    wrong: [],
    unknown: [],
    refutations: 0,
    slowest: { name: '', milliseconds: 0 },
  };
  for (const line of pairs) {
    // because the file's shape is the suite's own
    const pair = JSON.parse(line) as Pair;
    const prover = pair.case.includes('/optional/format/') ? asserting : plain;
    const ask = (from: JsonSchema, to: JsonSchema, truth: boolean | undefined, name: string): void => {
      if (truth === undefined) return;
      const began = performance.now();
      count(tally, name, prover.contains(from, to), truth);
      const milliseconds = performance.now() - began;
      if (milliseconds > tally.slowest.milliseconds) tally.slowest = { name, milliseconds };
    };
    ask(pair.schema1, pair.schema2, pair.s1SubsetEqOfs2, pair.case);
    ask(pair.schema2, pair.schema1, pair.s2SubsetEqOfs1, `${pair.case} reversed`);
  }
  return tally;
}

function count(tally: Tally, name: string, answer: Containment, truth: boolean): void {
  tally.questions += 1;
  if (answer.verdict === 'unknown') {
    tally.unknown.push(`${name}: ${answer.keyword} ${answer.path} ${answer.reason}`);
    return;
  }
  if (answer.verdict === 'refuted') tally.refutations += 1;
  if ((answer.verdict === 'proved') === truth) tally.right += 1;
  else tally.wrong.push(`${name}: said ${answer.verdict}, the suite says ${truth ? 'contained' : 'not contained'}`);
}

function main(): void {
  const path = process.argv[2] ?? process.env['CONTAINMENT_SUITE'] ?? '';
  if (path === '' || !existsSync(path)) {
    console.log('containment: no suite. Give the path of the pairs: make containment SUITE=path');
    process.exitCode = 2;
    return;
  }
  const began = performance.now();
  const tally = runSuite(path);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const decided = ((100 * (tally.questions - tally.unknown.length)) / tally.questions).toFixed(1);
  for (const line of [
    ...tally.wrong.map((text) => `WRONG ${text}`),
    ...tally.unknown.map((text) => `unknown ${text}`),
  ]) {
    console.log(line);
  }
  console.log(
    `containment: ${tally.questions} questions, ${tally.wrong.length} wrong, ${decided} % decided, ` +
      `${tally.refutations} refuted each with a verified witness, ${seconds} s ` +
      `(slowest ${tally.slowest.milliseconds.toFixed(0)} ms: ${tally.slowest.name})`,
  );
  if (tally.wrong.length > 0) process.exitCode = 1;
}

main();
