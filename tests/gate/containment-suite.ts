import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createProver, type Containment } from '../../codegen/contain/contains.ts';
import type { JsonSchema, JsonValue } from '../../codegen/model/types.ts';

/**
 * Measures the prover on a file of schema pairs with known truth, one JSON object a line:
 * `{ case, schema1, schema2, s1SubsetEqOfs2, s2SubsetEqOfs1? }`.
 *
 *     node --import=tsx tests/gate/containment-suite.ts PATH   (or the setting CONTAINMENT_SUITE)
 *
 * Formats are asserted for the cases from the group of optional formats and are annotations elsewhere, as in the
 * suite they come from. An answer against the stated truth is WRONG unless one of two things can be shown, and then
 * it is listed on its own and never as passed: the case depends on reading `\d` and `\w` beyond ECMA-262 (the group
 * optional/unicode, which contradicts optional/ecmascript-regex), or the validators themselves contradict the truth.
 */
interface Pair {
  readonly case: string;
  readonly schema1: JsonSchema;
  readonly schema2: JsonSchema;
  readonly s1SubsetEqOfs2?: boolean;
  readonly s2SubsetEqOfs1?: boolean;
}

interface Question {
  readonly name: string;
  readonly from: JsonSchema;
  readonly to: JsonSchema;
  readonly truth: boolean;
}

interface Tally {
  questions: number;
  right: number;
  refutations: number;
  readonly wrong: string[];
  readonly unknown: string[];
  readonly byDecision: string[];
  readonly contradicted: string[];
  slowest: { name: string; milliseconds: number };
}

const FILE = 'draft2020-12.jsonl';

function runSuite(path: string): Tally {
  const file = statSync(path).isDirectory() ? join(path, FILE) : path;
  const lines = readFileSync(file, 'utf8').split('\n');
  const provers = { annotation: createProver(), assert: createProver({ formats: 'assert' }) };
  const tally: Tally = {
    questions: 0,
    right: 0,
    refutations: 0,
    wrong: [],
    unknown: [],
    byDecision: [],
    contradicted: [],
    slowest: { name: '', milliseconds: 0 },
  };
  for (const line of lines.filter((text) => text.trim() !== '')) {
    // because the file's shape is the suite's own
    const pair = JSON.parse(line) as Pair;
    const prover = provers[pair.case.includes('/optional/format/') ? 'assert' : 'annotation'];
    for (const question of questionsOf(pair)) {
      const began = performance.now();
      const answer = prover.contains(question.from, question.to);
      const milliseconds = performance.now() - began;
      if (milliseconds > tally.slowest.milliseconds) tally.slowest = { name: question.name, milliseconds };
      judge(tally, question, answer);
    }
  }
  return tally;
}

function questionsOf(pair: Pair): Question[] {
  const { schema1, schema2, s1SubsetEqOfs2, s2SubsetEqOfs1 } = pair;
  const questions: Question[] = [];
  if (s1SubsetEqOfs2 !== undefined) {
    questions.push({ name: pair.case, from: schema1, to: schema2, truth: s1SubsetEqOfs2 });
  }
  if (s2SubsetEqOfs1 !== undefined) {
    questions.push({ name: `${pair.case} reversed`, from: schema2, to: schema1, truth: s2SubsetEqOfs1 });
  }
  return questions;
}

function judge(tally: Tally, question: Question, answer: Containment): void {
  const { name, truth } = question;
  tally.questions += 1;
  if (answer.verdict === 'unknown') {
    tally.unknown.push(`${name}: ${answer.keyword} at ${answer.path || '/'}: ${answer.reason}`);
    return;
  }
  if (answer.verdict === 'refuted') tally.refutations += 1;
  if ((answer.verdict === 'proved') === truth) {
    tally.right += 1;
    return;
  }
  const line = `${name}: ${answer.verdict}, stated ${truth ? 'contained' : 'not contained'}`;
  const evidence = answer.verdict === 'refuted' ? againstContained(question, answer.witness) : againstBroken(question);
  if (evidence === undefined) tally.wrong.push(line);
  else if (name.includes('/optional/unicode.json')) tally.byDecision.push(line);
  else tally.contradicted.push(`${line}; ${evidence}`);
}

function againstContained({ from, to }: Question, witness: JsonValue): string | undefined {
  if (accepts(from, witness) !== true || accepts(to, witness) !== false) return undefined;
  return `the validators accept ${JSON.stringify(witness)} for the first schema and refuse it for the second`;
}

/** A first schema of one value is broken only if that value is refused. */
function againstBroken({ from, to }: Question): string | undefined {
  if (typeof from !== 'object' || Object.keys(from).join() !== 'const') return undefined;
  const only = from['const'];
  if (only === undefined || accepts(to, only) !== true) return undefined;
  return `the validators accept its only value, ${JSON.stringify(only).slice(0, 80)}, for the second schema`;
}

function accepts(schema: JsonSchema, value: JsonValue): boolean | undefined {
  try {
    return new Ajv2020({ strict: false, logger: false, validateFormats: false }).compile(schema)(value) === true;
  } catch {
    return undefined;
  }
}

function main(): void {
  const path = process.argv[2] ?? process.env['CONTAINMENT_SUITE'] ?? '';
  if (path === '' || !existsSync(path)) {
    console.log('containment: no suite there. Give the path of the pairs: make containment SUITE=path');
    process.exitCode = 2;
    return;
  }
  const began = performance.now();
  const tally = runSuite(path);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const { user, system } = process.cpuUsage();
  const cpu = ((user + system) / 1e6).toFixed(1);
  const lists = { unknown: tally.unknown, 'by decision': tally.byDecision, contradicted: tally.contradicted };
  for (const [label, lines] of Object.entries(lists)) for (const line of lines) console.log(`${label}  ${line}`);
  for (const line of tally.wrong) console.log(`WRONG  ${line}`);
  const decided = ((100 * (tally.questions - tally.unknown.length)) / tally.questions).toFixed(1);
  console.log(
    `containment: ${tally.questions} questions, ${tally.wrong.length} wrong, ${decided} % decided, ${tally.right} as stated, ` +
      `${tally.byDecision.length} by decision (patterns are ECMA-262), ${tally.contradicted.length} stated truths ` +
      `contradicted by the validators, ${tally.refutations} refuted each with a verified witness, ${seconds} s in all (${cpu} s of CPU with start-up), ` +
      `slowest ${tally.slowest.milliseconds.toFixed(0)} ms`,
  );
  if (tally.wrong.length > 0) process.exitCode = 1;
}

main();
