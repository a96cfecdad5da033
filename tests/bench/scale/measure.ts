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
  /** Sizes in spans; each is a store and a server of its own. */
  readonly sizes: readonly number[];
  /** How often each question is asked at each size. */
  readonly samples: number;
  /** How long the databases have to look at their tables. */
  readonly settleMs?: number;
  /** An empty database for each size; without them each server brings its own. */
  readonly databaseUrls?: readonly string[];
  readonly onProgress?: (line: string) => void;
}

interface IngestFigures {
  readonly spans: number;
  readonly seconds: number;
  readonly spansPerSecond: number;
  /** Of the server process alone, in microseconds. */
  readonly serverCpuPerSpan: number;
  readonly peakMib: number;
  /** Resident memory of the server after each tenth. */
  readonly tenthsMib: readonly number[];
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

/**
 * Fills one store per size, then asks every question of all of them in turn, so that whatever else the machine does
 * falls on every size alike.
 */
export async function measureScale(options: ScaleOptions): Promise<ScaleFigures> {
  const { dataDir, sizes, samples, databaseUrls, onProgress = () => undefined } = options;
  rmSync(dataDir, { recursive: true, force: true });
  const startNs = BigInt(Date.now() - 86_400_000) * 1_000_000n;
  const servers: ScaleServer[] = [];
  try {
    const ingest: IngestFigures[] = [];
    for (const [index, size] of sizes.entries()) {
      const folder = join(dataDir, String(size));
      const server = await ScaleServer.start(options.server, folder, databaseUrls?.[index]);
      servers.push(server);
      const figures = await server.take(tracesOf(size), startNs);
      ingest.push(figures);
      onProgress(
        `${figures.spans} spans in ${figures.seconds.toFixed(1)} s: ${Math.round(figures.spansPerSecond)} a second`,
      );
    }
    // The planner is to know what came in, as it does of a project that is in use.
    await wait(options.settleMs ?? 0);
    const asked = sizes.map((size) => questionsFor(tracesOf(size), startNs));
    const questions: QuestionFigures[] = [];
    for (const [number, { name }] of (asked[0] ?? []).entries()) {
      const places = servers.flatMap((server, index) => {
        const question = asked[index]?.[number];
        return question === undefined ? [] : [{ server, question }];
      });
      questions.push({ name, ...(await askInTurn(places, samples)) });
    }
    onProgress(`every question asked ${samples} times of each`);
    return { sizes, ingest, questions };
  } finally {
    for (const server of servers) await server.stop();
  }
}

const tracesOf = (spans: number): number => Math.ceil(spans / SPANS_PER_TRACE);

interface Place {
  readonly server: ScaleServer;
  question: Question;
}

async function askInTurn(places: readonly Place[], samples: number): Promise<Omit<QuestionFigures, 'name'>> {
  const times = places.map((): number[] => []);
  const rows: number[] = [];
  for (const place of places) {
    const { server, question } = place;
    if (question.isNextPage !== true) continue;
    const { page } = await server.ask(question);
    if (typeof page?.next_cursor !== 'string') throw new Error(`${question.name}: there is one page only`);
    place.question = { ...question, args: { ...question.args, cursor: page.next_cursor } };
  }
  // The first answers pay for plans and cold pages, at every size alike.
  for (let sample = -2; sample < samples; sample += 1) {
    for (const [index, { server, question }] of places.entries()) {
      const started = performance.now();
      const answer = await server.ask(question);
      rows[index] = answer.n ?? answer.traces?.n ?? 0;
      if (sample >= 0) times[index]?.push(performance.now() - started);
    }
  }
  const sorted = times.map((list) => list.toSorted((left, right) => left - right));
  return { p50: sorted.map((list) => at(list, 0.5)), p99: sorted.map((list) => at(list, 0.99)), rows };
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

  static async start(server: string, dataDir: string, databaseUrl = ''): Promise<ScaleServer> {
    mkdirSync(dataDir, { recursive: true });
    const port = await freePort();
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'error',
      RATE_LIMIT_REQUESTS: '0',
      DATABASE_URL: databaseUrl,
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
      const end = (): void => reject(new Error('the server ended'));
      this.#child.once('exit', end);
      this.#child.once('message', (message) => {
        this.#child.off('exit', end);
        resolve((message as { usage: Usage }).usage);
      });
      this.#child.send({ ask: 'usage' });
    });
  }

  /** Takes traces in by JSON and protobuf in turn, several exports at a time, as a collector sends them. */
  async take(traces: number, startNs: bigint): Promise<IngestFigures> {
    const protobufExport = createProtobufExport();
    const before = await this.usage();
    const started = performance.now();
    let next = 0;
    let pushedBack = 0;
    const tenthsMib: number[] = [];
    let tenth = 0;
    const sender = async (): Promise<void> => {
      while (next < traces) {
        const first = next;
        next = Math.min(traces, first + TRACES_PER_EXPORT);
        const make = (first / TRACES_PER_EXPORT) % 2 < 1 ? jsonExport : protobufExport;
        pushedBack += await this.#send(make(first, next - first, startNs));
        if (first * 10 < (tenth + 1) * traces) continue;
        tenth += 1;
        tenthsMib.push((await this.usage()).rss / 2 ** 20);
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    const seconds = (performance.now() - started) / 1_000;
    const after = await this.usage();
    tenthsMib.push(after.rss / 2 ** 20);
    const spans = traces * SPANS_PER_TRACE;
    return {
      spans,
      seconds,
      spansPerSecond: spans / seconds,
      serverCpuPerSpan: (after.cpuUs - before.cpuUs) / spans,
      peakMib: after.peakRss / 2 ** 20,
      tenthsMib,
      pushedBack,
    };
  }

  /** Asks once more, a few times, when a machine that is busy with other things made the server give up. */
  async ask(question: Question, tries = 5): Promise<ToolAnswer> {
    const { name, tool, args } = question;
    const response = await fetch(`${this.#origin}/api/mcp/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        'x-api-key': this.#key,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }),
    });
    // because the server answers JSON-RPC
    const { result } = (await response.json()) as { result?: { isError?: boolean; structuredContent?: ToolAnswer } };
    if (result?.isError !== true && result !== undefined) {
      return result.structuredContent ?? {};
    }
    if (tries <= 1 || !JSON.stringify(result).includes('unavailable')) {
      throw new Error(`${name}: ${JSON.stringify(result)}`);
    }
    return this.ask(question, tries - 1);
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
}

/** Where the answers of the tools have the number of what they found, and the way to more of it. */
interface ToolAnswer {
  readonly n?: number;
  readonly page?: { readonly next_cursor: string | null };
  readonly traces?: { readonly n?: number };
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
