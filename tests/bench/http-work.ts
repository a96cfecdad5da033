import { answerReadRecords, CALL, REFUSED } from './catalogue.ts';
import { load, type Measured, type Request } from './load.ts';
import { startServer, type Running } from './control.ts';

export type Work = 'list' | 'call' | 'refused';
export const WORKS: readonly Work[] = ['list', 'call', 'refused'];

export interface Contender {
  readonly name: string;
  readonly file: string;
  readonly path: string;
  readonly era: '2025-11-25' | '2026-07-28';
  readonly headers?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Row {
  readonly work: Work;
  readonly server: string;
  readonly clients: number;
  readonly per_second: number;
  readonly ratio_to_raw: number;
  readonly ratio_to_sdk_v1: number;
  readonly cpu_us: number;
  readonly cpu_ratio_to_raw: number;
  readonly p50_us: number;
  readonly p99_us: number;
}

export interface Memory {
  readonly server: string;
  readonly idle_mib: number;
  readonly peak_mib: number;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};

function requestFor(contender: Contender, port: number, work: Work): Request {
  const method = work === 'list' ? 'tools/list' : 'tools/call';
  const modern = contender.era === '2026-07-28';
  const params = {
    ...(work === 'list' ? {} : { name: 'read_records', arguments: work === 'call' ? CALL : REFUSED }),
    ...(modern ? { _meta: META } : {}),
  };
  return {
    url: `http://127.0.0.1:${String(port)}${contender.path}`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': contender.era,
      ...(modern ? { 'mcp-method': method, ...(work === 'list' ? {} : { 'mcp-name': 'read_records' }) } : {}),
      ...contender.headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  };
}

/** Throws when a server does not do the work: a fast wrong answer must not count. */
async function proveAnswer(contender: Contender, port: number, work: Work, tools: number): Promise<void> {
  const { url, ...init } = requestFor(contender, port, work);
  const response = await fetch(url, { method: 'POST', ...init });
  const text = await response.text();
  const wrong = (why: string): never => {
    throw new Error(`${contender.name}, ${work}: ${why}: ${String(response.status)} ${text.slice(0, 300)}`);
  };
  const body = JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}')) as {
    result?: {
      isError?: boolean;
      tools?: unknown[];
      structuredContent?: { records?: unknown[] };
      content?: { text?: string }[];
    };
    error?: unknown;
  };
  if (work === 'refused') {
    if (!body.error && !body.result?.isError) wrong('bad arguments were accepted');
  } else if (work === 'list') {
    if (body.result?.tools?.length !== tools) wrong(`listed ${String(body.result?.tools?.length)} tools`);
  } else {
    const expected = JSON.stringify(answerReadRecords(CALL));
    if (JSON.stringify(body.result?.structuredContent) !== expected) wrong('other structured content');
    if (body.result?.content?.[0]?.text !== expected) wrong('text is not the same object');
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

interface Load {
  readonly generator: 'wrk' | 'autocannon';
  readonly clients: number;
  readonly seconds: number;
}

interface Cell extends Measured {
  readonly cpuUs: number;
}

async function cell(
  contender: Contender,
  running: Running,
  work: Work,
  { generator, clients, seconds }: Load,
): Promise<Cell> {
  const before = await running.usage();
  const measured = await load(generator, requestFor(contender, running.port, work), clients, seconds);
  const after = await running.usage();
  return { ...measured, cpuUs: (after.cpuUs - before.cpuUs) / measured.requests };
}

/** Every cell is a slice of bare http and a slice of the contender back to back, so that both meet the same machine. */
export async function measureHttp(
  contenders: readonly Contender[],
  options: {
    readonly generator: 'wrk' | 'autocannon';
    readonly clients: number;
    readonly seconds: number;
    readonly rounds: number;
    readonly tools: number;
  },
): Promise<{ readonly rows: Row[]; readonly memory: Memory[] }> {
  const { clients, rounds, tools } = options;
  const warm = { ...options, seconds: 2 };
  const env = { TOOLS: String(tools) };
  const [raw, ...others] = contenders;
  if (!raw) throw new Error('the first contender is the bare server');
  const base = await startServer(raw.file, { ...env, ...raw.env });
  for (const work of WORKS) await cell(raw, base, work, warm);
  const cells: { server: string; work: Work; own: Cell; bare: Cell }[] = [];
  const memory: Memory[] = [];
  for (const contender of others) {
    const running = await startServer(contender.file, { ...env, ...contender.env });
    const idle = await running.usage();
    for (const work of WORKS) {
      await proveAnswer(contender, running.port, work, tools);
      await cell(contender, running, work, warm);
    }
    for (let round = 0; round < rounds; round += 1)
      for (const work of WORKS)
        cells.push({
          server: contender.name,
          work,
          bare: await cell(raw, base, work, options),
          own: await cell(contender, running, work, options),
        });
    const busy = await running.usage();
    memory.push({
      server: contender.name,
      idle_mib: Math.round(idle.rss / 2 ** 20),
      peak_mib: Math.round(busy.peakRss / 2 ** 20),
    });
    await running.stop();
  }
  await base.stop();
  const failed = cells.find(({ own, work }) => own.failed > 0 && work !== 'refused');
  if (failed) throw new Error(`${failed.server}, ${failed.work}: ${String(failed.own.failed)} requests failed`);
  const summary = (server: string, work: Work) => {
    const mine = cells.filter((entry) => entry.server === server && entry.work === work);
    return {
      perSecond: median(mine.map(({ own }) => own.perSecond)),
      ratio: median(mine.map(({ own, bare }) => own.perSecond / bare.perSecond)),
      cpu: median(mine.map(({ own }) => own.cpuUs)),
      cpuRatio: median(mine.map(({ own, bare }) => own.cpuUs / bare.cpuUs)),
      p50: median(mine.map(({ own }) => own.p50Us)),
      p99: median(mine.map(({ own }) => own.p99Us)),
    };
  };
  const documented = 'SDK v1, documented way';
  const rows = others.flatMap(({ name }) =>
    WORKS.map((work): Row => {
      const own = summary(name, work);
      return {
        work,
        server: name,
        clients,
        per_second: Math.round(own.perSecond),
        ratio_to_raw: own.ratio,
        ratio_to_sdk_v1: own.ratio / summary(documented, work).ratio,
        cpu_us: Math.round(own.cpu),
        cpu_ratio_to_raw: own.cpuRatio,
        p50_us: own.p50,
        p99_us: own.p99,
      };
    }),
  );
  return { rows, memory };
}
