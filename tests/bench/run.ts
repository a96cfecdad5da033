// make bench: everything is a ratio of two things measured side by side in this one run.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbedded } from '../../src/db/embedded.ts';
import { buildServers, type BuiltServers } from './build.ts';
import { measureCompiler } from './compiler.ts';
import { measureHttp, type Contender } from './http-work.ts';
import { chooseGenerator } from './load.ts';
import { atLeast, atMost, goalTable, short, table, type Goal } from './report.ts';
import { measureStart } from './startup.ts';
import { measureStore } from './store.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: 'http,store,compiler,start' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(
    'make bench, or: node --import tsx tests/bench/run.ts [--rounds 3] [--seconds 1] [--only http,store,compiler,start]\n',
  );
  process.exit(0);
}
const only = new Set(values.only.split(','));
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const folder = resolve('.bench');
const say = (text: string): void => void process.stdout.write(`${text}\n`);
mkdirSync(folder, { recursive: true });
const generator = chooseGenerator();
say(
  `load by ${generator}; server and load share one core where the machine can pin, the store has the others; every ratio is of neighbouring seconds\n`,
);

const OURS = 'Overmind MCP';
const goals: Goal[] = [];

const dataDir = join(folder, 'data-http');
const stock = (built: BuiltServers, name: string, server: string, era: Contender['era']): Contender => ({
  name,
  file: built.server(server),
  path: '/mcp',
  era,
});

function ours(built: BuiltServers, tools: number, era: Contender['era'], name: string): Contender {
  return {
    name,
    file: built.server('ours'),
    path: '/api/mcp/',
    era,
    env: {
      DATA_DIR: dataDir,
      RATE_LIMIT_REQUESTS: '0',
      PUBLISH_OUTPUT_SCHEMA: 'none',
      BENCH_CATALOG: built.catalogue(tools),
    },
    get headers() {
      return {
        'x-api-key': (JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as { key: string }).key,
      };
    },
  };
}

if (only.has('http')) {
  rmSync(dataDir, { recursive: true, force: true });
  const built = buildServers(folder);
  const bare = stock(built, 'bare node:http', 'raw-http', '2025-11-25');
  const documented = stock(built, 'SDK v1, documented way', 'sdk-v1', '2025-11-25');
  // Started here it is not pinned with the server, which adopts it: a store under load is another process's work.
  const store = await startEmbedded({ folder: join(dataDir, 'postgres') });
  const { rows, memory } = await measureHttp(
    [
      bare,
      ours(built, 40, '2025-11-25', OURS),
      ours(built, 40, '2026-07-28', `${OURS}, 2026 wire`),
      stock(built, 'SDK v1, low level', 'sdk-v1-low', '2025-11-25'),
      documented,
      stock(built, 'SDK v2, documented way', 'sdk-v2', '2026-07-28'),
    ],
    { generator, clients: 16, seconds, rounds, tools: 40 },
  );
  const one = await measureHttp([bare, ours(built, 1, '2025-11-25', OURS), documented], {
    generator,
    clients: 16,
    seconds,
    rounds,
    tools: 1,
  });
  await store.leave();
  writeFileSync(join(folder, 'latest.json'), `${JSON.stringify(rows, null, 2)}\n`);
  say(
    table(
      ['work', 'server', 'req/s', '÷ bare http', '× SDK v1', 'CPU µs', 'CPU × bare', 'p50 ms', 'p99 ms'],
      rows.map((row) => [
        row.work,
        row.server,
        row.per_second,
        short(row.ratio_to_raw),
        short(row.ratio_to_sdk_v1),
        row.cpu_us,
        short(row.cpu_ratio_to_raw),
        (row.p50_us / 1000).toFixed(2),
        (row.p99_us / 1000).toFixed(2),
      ]),
    ),
  );
  say(
    `\n${table(
      ['server', 'idle MiB', 'peak MiB'],
      memory.map((row) => [row.server, row.idle_mib, row.peak_mib]),
    )}\n`,
  );
  const mine = (work: string) => rows.find((row) => row.server === OURS && row.work === work);
  const alone = one.rows.find((row) => row.server === OURS && row.work === 'call');
  const used = memory.find((row) => row.server === OURS);
  const call = mine('call');
  const list = mine('list');
  const refused = mine('refused');
  if (!call || !list || !refused || !alone || !used) throw new Error('a figure of our own server is missing');
  goals.push(
    atLeast('tools/call ÷ bare http', call.ratio_to_raw, 0.5),
    atLeast('tools/call × SDK v1', call.ratio_to_sdk_v1, 12),
    atMost('tools/call CPU × bare http', call.cpu_ratio_to_raw, 2.3),
    atLeast('tools/list ÷ bare http', list.ratio_to_raw, 0.78),
    atLeast('tools/list × SDK v1', list.ratio_to_sdk_v1, 80),
    atLeast('refused call ÷ bare http', refused.ratio_to_raw, 0.75),
    atMost('CPU of a call, 40 tools ÷ 1 tool', call.cpu_us / alone.cpu_us, 1.05),
    atMost('peak memory ÷ idle', used.peak_mib / used.idle_mib, 1.5),
  );
}
if (only.has('store')) {
  const dataDir = join(folder, 'data-store');
  rmSync(dataDir, { recursive: true, force: true });
  const figures = await measureStore(dataDir, generator, 120);
  say(
    `${table(
      ['store', 'figure'],
      Object.entries(figures).map(([name, value]) => [
        name.replaceAll('_', ' '),
        Number.isInteger(value) ? value : short(value),
      ]),
    )}\n`,
  );
  writeFileSync(join(folder, 'store.json'), `${JSON.stringify(figures, null, 2)}\n`);
  goals.push(
    atLeast('query_traces ÷ bare knex', figures.query_traces_ratio, 0.6),
    atLeast('spans taken in per second', figures.spans_per_second, 8000),
  );
  if (only.has('start')) goals.push(atMost('start to ready, CPU seconds', await measureStart(dataDir), 1.5));
}
if (only.has('compiler')) {
  const figures = measureCompiler(folder, 150);
  say(
    `${table(
      ['compiler', 'CPU s'],
      figures.map(({ step, cpu_seconds }) => [step, cpu_seconds.toFixed(2)]),
    )}\n`,
  );
  writeFileSync(join(folder, 'compiler.json'), `${JSON.stringify(figures, null, 2)}\n`);
  const limits = [2, 0.8, 0.8, 1.5];
  figures.forEach(({ step, cpu_seconds }, index) =>
    goals.push(atMost(`${step}, CPU seconds`, cpu_seconds, limits[index] ?? 1)),
  );
}
say(goalTable(goals));
writeFileSync(join(folder, 'goals.json'), `${JSON.stringify(goals, null, 2)}\n`);
