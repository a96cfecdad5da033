import { fork, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { load } from './load.ts';

export interface StoreFigures {
  readonly spans: number;
  readonly spans_per_second: number;
  readonly server_peak_mib: number;
  readonly query_traces_per_second: number;
  readonly bare_knex_per_second: number;
  readonly query_traces_ratio: number;
}

const preload = new URL('servers/report-usage.mjs', import.meta.url).href;
const once = <T>(child: ChildProcess, key: string): Promise<T> =>
  new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`a measured process ended with ${String(code)}`)));
    child.on('message', (message) => {
      const value = (message as Record<string, T>)[key];
      if (value !== undefined) resolve(value);
    });
  });

const SPANS_PER_EXPORT = 500;
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** One export of traces of ten spans each, as an OTLP/JSON exporter sends them. */
function otlpExport(serial: number, startNs: bigint): string {
  const spans = Array.from({ length: SPANS_PER_EXPORT }, (_, index) => {
    const trace = serial * (SPANS_PER_EXPORT / 10) + Math.floor(index / 10) + 1;
    const begin = startNs + BigInt(trace) * 1_000_000n + BigInt(index % 10) * 1000n;
    return {
      traceId: hex(trace, 32),
      spanId: hex(serial * SPANS_PER_EXPORT + index + 1, 16),
      ...(index % 10 ? { parentSpanId: hex(serial * SPANS_PER_EXPORT + index - (index % 10) + 1, 16) } : {}),
      name: index % 10 ? 'chat small-model' : 'handle ticket',
      kind: 1,
      startTimeUnixNano: String(begin),
      endTimeUnixNano: String(begin + 250_000_000n),
      attributes: [
        { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
        { key: 'gen_ai.request.model', value: { stringValue: 'small-model' } },
        { key: 'gen_ai.usage.input_tokens', value: { intValue: '120' } },
        { key: 'gen_ai.usage.output_tokens', value: { intValue: '30' } },
        { key: 'overmind.capability', value: { stringValue: 'support-triage' } },
        { key: 'session.id', value: { stringValue: `chat-${String(trace % 50)}` } },
        { key: 'input.value', value: { stringValue: 'Where is my parcel? It was to come on Monday and has not.' } },
      ],
      status: { code: index % 97 === 0 ? 2 : 1 },
    };
  });
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'support-agent' } }] },
        scopeSpans: [{ scope: { name: 'bench' }, spans }],
      },
    ],
  });
}

async function ingest(origin: string, key: string, exports: number): Promise<number> {
  const start = BigInt(Date.now() - 3_600_000) * 1_000_000n;
  const bodies = Array.from({ length: exports }, (_, serial) => otlpExport(serial, start));
  const send = async (body: string): Promise<void> => {
    const response = await fetch(`${origin}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body,
    });
    if (!response.ok) throw new Error(`ingest answered ${String(response.status)} ${await response.text()}`);
    await response.arrayBuffer();
  };
  const warm = bodies.splice(0, 4);
  for (const body of warm) await send(body);
  const started = performance.now();
  const senders = Array.from({ length: 4 }, async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) await send(body);
  });
  await Promise.all(senders);
  return ((exports - warm.length) * SPANS_PER_EXPORT) / ((performance.now() - started) / 1000);
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** The compiled product on its own embedded store: spans taken in, then query_traces against its bare statement. */
export async function measureStore(
  dataDir: string,
  generator: 'wrk' | 'autocannon',
  exports: number,
): Promise<StoreFigures> {
  const port = await freePort();
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'error', RATE_LIMIT_REQUESTS: '0' };
  const server = spawn(process.execPath, ['--import', preload, 'dist/src/app/main.js', 'serve'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const origin = `http://127.0.0.1:${String(port)}`;
  try {
    for (
      let tries = 0;
      !(await fetch(`${origin}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ));
      tries += 1
    ) {
      if (tries > 1500) throw new Error('the server was not ready within 30 s');
      await wait(20);
    }
    const { project_id: project, key } = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as {
      project_id: string;
      key: string;
    };
    const spansPerSecond = await ingest(origin, key, exports);
    const usage = once<{ peakRss: number }>(server, 'usage');
    server.send({ ask: 'usage' });
    const { peakRss } = await usage;
    const bare = fork(new URL('servers/bare-knex.ts', import.meta.url), {
      env: { ...env, BENCH_PROJECT: project },
      execArgv: ['--import', 'tsx'],
    });
    await once(bare, 'ready');
    const request = {
      url: `${origin}/api/mcp/`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        'x-api-key': key,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'query_traces', arguments: { limit: 20 } },
      }),
    };
    const own: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const answer = once<number>(bare, 'perSecond');
      bare.send({ ask: 'run', clients: 16, seconds: 2 });
      const knex = await answer;
      const measured = await load(generator, request, 16, 2);
      if (measured.failed > 0) throw new Error(`${String(measured.failed)} calls of query_traces failed`);
      if (round === 0) continue;
      alone.push(knex);
      own.push(measured.perSecond);
    }
    bare.disconnect();
    return {
      spans: exports * SPANS_PER_EXPORT,
      spans_per_second: Math.round(spansPerSecond),
      server_peak_mib: Math.round(peakRss / 2 ** 20),
      query_traces_per_second: Math.round(median(own)),
      bare_knex_per_second: Math.round(median(alone)),
      query_traces_ratio: median(own.map((value, index) => value / (alone[index] ?? Number.NaN))),
    };
  } finally {
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('exit', resolve));
  }
}
