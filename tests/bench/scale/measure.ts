import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { questionsFor, type Question } from './questions.ts';
import { createProtobufExport, jsonExport, SPANS_PER_TRACE } from './traffic.ts';

interface ScaleOptions {
  /** The compiled server. */
  readonly server: string;
  /** Emptied first. */
  readonly dataDir: string;
  /** Sizes of the project, in spans, at which questions are asked; growing. */
  readonly sizes: readonly number[];
  /** How often each question is asked at each size. */
  readonly samples: number;
  /** How long the database has, after each size, to look at its tables. */
  readonly settleMs?: number;
  readonly databaseUrl?: string;
  readonly onProgress?: (line: string) => void;
}

interface IngestFigures {
  readonly spans: number;
  readonly seconds: number;
  readonly spansPerSecond: number;
  /** Of the server process alone, in microseconds. */
  readonly serverCpuPerSpan: number;
  readonly peakMib: number;
  /** Exports that were told to come again later. */
  readonly pushedBack: number;
}

interface QuestionFigures {
  readonly name: string;
  readonly p50: readonly number[];
  readonly p99: readonly number[];
  /** Rows answered at each size. */
  readonly rows: readonly number[];
}

interface ScaleFigures {
  readonly sizes: readonly number[];
  readonly idleMib: number;
  readonly ingest: readonly IngestFigures[];
  readonly questions: readonly QuestionFigures[];
}

const TRACES_PER_EXPORT = 50;
const SENDERS = 4;
const PRELOAD = new URL('../servers/report-usage.mjs', import.meta.url).href;

interface Usage {
  readonly rss: number;
  readonly peakRss: number;
  readonly cpuUs: number;
}

/** Sends the traffic into a server of its own and asks it every question at every size. */
export async function measureScale(options: ScaleOptions): Promise<ScaleFigures> {
  const { dataDir, sizes, samples, onProgress = () => undefined } = options;
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  const server = await ScaleServer.start(options);
  try {
    const startNs = BigInt(Date.now() - 86_400_000) * 1_000_000n;
    const idleMib = (await server.usage()).rss / 2 ** 20;
    const ingest: IngestFigures[] = [];
    const answers: Answer[][] = [];
    let traces = 0;
    for (const size of sizes) {
      const until = Math.ceil(size / SPANS_PER_TRACE);
      const figures = await server.take(traces, until, startNs);
      traces = until;
      ingest.push(figures);
      onProgress(
        `${figures.spans} spans in ${figures.seconds.toFixed(1)} s: ${Math.round(figures.spansPerSecond)} a second`,
      );
      // The planner is to know what came in, as it does of a project that is in use.
      await wait(options.settleMs ?? 0);
      answers.push(await server.ask(questionsFor(traces, startNs), samples));
      onProgress(`every question asked ${samples} times of ${size} spans`);
    }
    const names = questionsFor(traces, startNs).map(({ name }) => name);
    const column = <K extends keyof Answer>(index: number, key: K): Answer[K][] =>
      answers.flatMap((row) => row[index]?.[key] ?? []);
    return {
      sizes,
      idleMib,
      ingest,
      questions: names.map((name, index) => ({
        name,
        p50: column(index, 'p50'),
        p99: column(index, 'p99'),
        rows: column(index, 'rows'),
      })),
    };
  } finally {
    await server.stop();
  }
}

interface Answer {
  readonly p50: number;
  readonly p99: number;
  readonly rows: number;
}

class ScaleServer {
  readonly #child: ChildProcess;
  readonly #origin: string;
  readonly #key: string;

  private constructor(child: ChildProcess, origin: string, key: string) {
    this.#child = child;
    this.#origin = origin;
    this.#key = key;
  }

  static async start({ server, dataDir, databaseUrl }: ScaleOptions): Promise<ScaleServer> {
    const port = await freePort();
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'error',
      RATE_LIMIT_REQUESTS: '0',
      DATABASE_URL: databaseUrl ?? '',
    };
    const child = spawn(process.execPath, ['--import', PRELOAD, server, 'serve'], {
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const origin = `http://127.0.0.1:${port}`;
    for (let tries = 0; !(await isReady(origin)); tries += 1) {
      if (child.exitCode !== null || tries > 1_200) throw new Error('the server did not become ready');
      await wait(50);
    }
    // because the server wrote this file at its first start
    const { key } = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as { key: string };
    return new ScaleServer(child, origin, key);
  }

  usage(): Promise<Usage> {
    return new Promise((resolve, reject) => {
      this.#child.once('exit', () => reject(new Error('the server ended')));
      this.#child.once('message', (message) => resolve((message as { usage: Usage }).usage));
      this.#child.send({ ask: 'usage' });
    });
  }

  /** Takes traces in by JSON and protobuf in turn, several exports at a time, as a collector sends them. */
  async take(from: number, until: number, startNs: bigint): Promise<IngestFigures> {
    const protobufExport = createProtobufExport();
    const before = await this.usage();
    const started = performance.now();
    let next = from;
    let pushedBack = 0;
    const sender = async (): Promise<void> => {
      while (next < until) {
        const first = next;
        next = Math.min(until, first + TRACES_PER_EXPORT);
        const make = (first / TRACES_PER_EXPORT) % 2 < 1 ? jsonExport : protobufExport;
        pushedBack += await this.#send(make(first, next - first, startNs));
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    const seconds = (performance.now() - started) / 1_000;
    const after = await this.usage();
    const spans = (until - from) * SPANS_PER_TRACE;
    return {
      spans,
      seconds,
      spansPerSecond: spans / seconds,
      serverCpuPerSpan: (after.cpuUs - before.cpuUs) / spans,
      peakMib: after.peakRss / 2 ** 20,
      pushedBack,
    };
  }

  async ask(questions: readonly Question[], samples: number): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (const { name, args } of questions) {
      const times: number[] = [];
      let rows = 0;
      // The first answers pay for plans and cold pages, at every size alike.
      for (let sample = -2; sample < samples; sample += 1) {
        const started = performance.now();
        const found = await this.#query(name, args);
        if (sample >= 0) times.push(performance.now() - started);
        rows = found;
      }
      times.sort((left, right) => left - right);
      answers.push({ p50: at(times, 0.5), p99: at(times, 0.99), rows });
    }
    return answers;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    if (this.#child.exitCode === null) await new Promise((resolve) => this.#child.once('exit', resolve));
  }

  /** Answers how often it was told to come again. */
  async #send({ contentType, body }: { readonly contentType: string; readonly body: Buffer }): Promise<number> {
    for (let refusals = 0; ; refusals += 1) {
      const response = await fetch(`${this.#origin}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': contentType, 'x-api-key': this.#key },
        body,
      });
      const answer = await response.arrayBuffer();
      if (response.ok) return refusals;
      if (response.status !== 429)
        throw new Error(`ingest answered ${response.status} ${Buffer.from(answer).toString()}`);
      await wait(Number(response.headers.get('retry-after') ?? '1') * 1_000);
    }
  }

  /** Asks once more, a few times, when a machine that is busy with other things made the server give up. */
  async #query(name: string, args: Readonly<Record<string, unknown>>, tries = 5): Promise<number> {
    const response = await fetch(`${this.#origin}/api/mcp/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        'x-api-key': this.#key,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'query_traces', arguments: args },
      }),
    });
    // because the server answers JSON-RPC
    const { result } = (await response.json()) as { result?: { isError?: boolean; structuredContent?: { n: number } } };
    if (result?.isError !== true && result !== undefined) return result.structuredContent?.n ?? 0;
    if (tries <= 1 || !JSON.stringify(result).includes('unavailable')) {
      throw new Error(`${name}: ${JSON.stringify(result)}`);
    }
    return this.#query(name, args, tries - 1);
  }
}

async function isReady(origin: string): Promise<boolean> {
  return fetch(`${origin}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
