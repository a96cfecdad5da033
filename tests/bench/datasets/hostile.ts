// make hostile-queries: 500 hostile statements over MCP, while others go on asking.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { atMost, goalTable, table } from '../report.ts';
import { measureHostile } from './measure-hostile.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '10' },
    idle: { type: 'string', default: '4' },
    server: { type: 'string', default: 'dist/src/app/main.js' },
    data: { type: 'string', default: '.bench/data-hostile' },
  },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const figures = await measureHostile({
  server: resolve(values.server),
  dataDir: resolve(values.data),
  count: Number(values.count),
  seed: Number(values.seed),
  rounds: Number(values.rounds),
  idleMs: Number(values.idle) * 1_000,
  ...(process.env['DATABASE_URL'] && { databaseUrl: process.env['DATABASE_URL'] }),
  onProgress: say,
});

const kinds = [...new Set(figures.outcomes.map(({ kind }) => kind))].toSorted();
say('');
say(
  table(
    ['kind', 'statements', 'refused', 'answered within bounds', 'longest ms'],
    kinds.map((kind) => {
      const those = figures.outcomes.filter((outcome) => outcome.kind === kind);
      const answered = those.filter(({ outcome }) => outcome === 'answered').length;
      return [kind, those.length, those.length - answered, answered, Math.max(...those.map(({ ms }) => ms)).toFixed(0)];
    }),
  ),
);
say('');
const duringOf = (name: string) => figures.during.find((row) => row.name === name);
say(
  table(
    ['others ask', 'idle p50 ms', 'idle p99', 'during p50', 'during p99', 'p99 during ÷ idle', 'asked'],
    figures.idle.map(({ name, p50, p99 }) => {
      const during = duringOf(name);
      const ratio = (during?.p99 ?? Number.NaN) / p99;
      return [
        name,
        ...[p50, p99, during?.p50 ?? 0, during?.p99 ?? 0, ratio].map((value) => value.toFixed(2)),
        during?.count ?? 0,
      ];
    }),
  ),
);
say('');
say(
  `${figures.outcomes.length} statements in ${figures.seconds.toFixed(0)} s (told to come again: ${figures.putOff}); ` +
    `nothing was read, written or asked of the network; ${figures.engines} engine processes are left, at rest`,
);
const goals = figures.idle.map(({ name, p99 }) =>
  atMost(`${name}: p99 during ÷ idle`, (duringOf(name)?.p99 ?? Number.NaN) / p99, 2),
);
goals.push(atMost('cores the engines take afterwards', figures.engineLoad, 0.05));
say(goalTable(goals));
if (goals.some(({ met }) => !met)) process.exitCode = 1;
