// make scale: how ingest and every question behave from ten thousand spans to a million.
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { atLeast, atMost, goalTable, short, table, type Goal } from '../report.ts';
import { measureScale } from './measure.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    samples: { type: 'string', default: '60' },
    settle: { type: 'string', default: '65' },
    server: { type: 'string', default: 'dist/src/app/main.js' },
    data: { type: 'string', default: '.bench/data-scale' },
    out: { type: 'string', default: '.bench/scale.json' },
  },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const sizes = values.sizes.split(',').map(Number);
const figures = await measureScale({
  server: resolve(values.server),
  dataDir: resolve(values.data),
  sizes,
  samples: Number(values.samples),
  settleMs: Number(values.settle) * 1_000,
  onProgress: say,
});
mkdirSync('.bench', { recursive: true });
writeFileSync(values.out, `${JSON.stringify(figures, null, 2)}\n`);

const ms = (value: number | undefined): string => (value ?? Number.NaN).toFixed(2);
/** Of the largest figures of both halves. */
const flatness = (tenths: readonly number[]): number =>
  Math.max(...tenths.slice(tenths.length / 2)) / Math.max(...tenths.slice(0, tenths.length / 2));
const ratioOf = (p50: readonly number[]): number => (p50.at(-1) ?? Number.NaN) / (p50[0] ?? Number.NaN);
say('');
say(
  table(
    ['spans taken in', 'a second', 'server CPU µs a span', 'peak MiB', 'MiB after each tenth', 'told to wait'],
    figures.ingest.map((row) => [
      row.spans,
      Math.round(row.spansPerSecond),
      row.serverCpuPerSpan.toFixed(0),
      Math.round(row.peakMib),
      row.tenthsMib.map(Math.round).join(' '),
      row.pushedBack,
    ]),
  ),
);
say('');
say(
  table(
    ['question', ...sizes.flatMap((size) => [`p50 ms at ${size}`, 'p99']), 'last ÷ first', 'rows'],
    figures.questions.map(({ name, p50, p99, rows }) => [
      name,
      ...sizes.flatMap((_, index) => [ms(p50[index]), ms(p99[index])]),
      short(ratioOf(p50)),
      rows.at(-1) ?? 0,
    ]),
  ),
);
say('');
const last = figures.ingest.at(-1);
const plain = figures.questions.filter(({ name }) => /^(traces|spans): (none|order )/.test(name));
const goals: Goal[] = [
  atLeast('spans taken in per second', last?.spansPerSecond ?? 0, 8_000),
  atMost('memory in the second half ÷ in the first', flatness(last?.tenthsMib ?? []), 1.1),
  ...plain.map(({ name, p50 }) => atMost(`${name}, p50 last ÷ first`, ratioOf(p50), 1.5)),
  atMost('worst filter, p50 last ÷ first', Math.max(...figures.questions.map(({ p50 }) => ratioOf(p50))), 1.5),
];
say(goalTable(goals));
