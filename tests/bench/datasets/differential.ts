// make differential: query_dataset against DuckDB by hand over the exported files, on random datasets.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchServer } from './bench-server.ts';
import { measureDifferential } from './measure-differential.ts';

const { values } = parseArgs({
  options: {
    datasets: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    server: { type: 'string', default: 'dist/src/app/main.js' },
    data: { type: 'string', default: '.bench/data-differential' },
  },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const [datasets, seed] = [Number(values.datasets), Number(values.seed)];
say(`${datasets} datasets of seed ${seed}`);
const server = await BenchServer.start({
  server: resolve(values.server),
  dataDir: resolve(values.data),
  ...(process.env['DATABASE_URL'] && { databaseUrl: process.env['DATABASE_URL'] }),
});
try {
  const figures = await measureDifferential({ caller: server, datasets, seed, onProgress: say });
  const { parquet, jsonl, csv } = figures.compared;
  say(
    `${figures.datasets} datasets: ${parquet} statements over exported Parquet, ${jsonl} over JSONL and ${csv} over CSV ` +
      `say what query_dataset says, ${figures.values} values; ${figures.refused} are refused by both, ${figures.cut} answers were cut`,
  );
} finally {
  await server.stop();
}
