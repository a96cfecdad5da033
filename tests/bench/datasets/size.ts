// make datasets-at-size: a large JSONL and a large CSV file all the way through, the largest JSON array, and questions
// over a million rows.
import { statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../report.ts';
import { BenchServer } from './bench-server.ts';
import { measureArrayLimit } from './measure-array-limit.ts';
import { measureQuestions } from './measure-questions.ts';
import { measureSize } from './measure-size.ts';

const { values } = parseArgs({
  options: {
    mib: { type: 'string', default: '1024' },
    cuts: { type: 'string', default: '10' },
    formats: { type: 'string', default: 'jsonl,csv,json' },
    rows: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    server: { type: 'string', default: 'dist/src/app/main.js' },
    data: { type: 'string', default: '.bench/data-size' },
  },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const ROOM_PER_BYTE = 8;
const PIECE_BYTES = 4 * 2 ** 20;
const bytes = Number(values.mib) * 2 ** 20;
const server = await BenchServer.start({
  server: resolve(values.server),
  dataDir: resolve(values.data),
  ...(process.env['DATABASE_URL'] && { databaseUrl: process.env['DATABASE_URL'] }),
});
try {
  const { bavail, bsize } = statfsSync(values.data);
  if (bavail * bsize < bytes * ROOM_PER_BYTE) throw new Error(`${values.data} has too little room on its disk`);
  const rows: (string | number)[][] = [];
  for (const format of ['jsonl', 'csv'] as const) {
    if (!values.formats.split(',').includes(format)) continue;
    const stages = await measureSize({
      caller: server,
      serverPid: server.pid,
      format,
      bytes,
      cuts: Number(values.cuts),
      pieceBytes: PIECE_BYTES,
      seed: Number(values.seed),
      onProgress: say,
    });
    for (const { stage, seconds, peaks, note } of stages)
      rows.push([
        `${format}: ${stage}`,
        seconds.toFixed(1),
        peaks.serverMib.toFixed(0),
        peaks.engineMib.toFixed(0),
        note,
      ]);
  }
  if (rows.length > 0) say(`\n${table(['stage', 'seconds', 'server MiB', 'engine MiB', 'what was held'], rows)}`);
  if (values.formats.split(',').includes('json')) {
    const { lands, refused } = await measureArrayLimit(server);
    say(
      `\njson: an array of 256 MiB lands in ${lands.toFixed(1)} s; one of a byte more is refused in ${refused.toFixed(1)} s`,
    );
  }
  if (Number(values.rows) > 0) {
    const questions = await measureQuestions(server, Number(values.rows), 100);
    say(
      `\n${table(
        [`query_dataset of ${values.rows} rows`, 'p50 ms', 'p99 ms'],
        questions.map(({ name, p50, p99 }) => [name, p50.toFixed(1), p99.toFixed(1)]),
      )}`,
    );
  }
} finally {
  await server.stop();
}
