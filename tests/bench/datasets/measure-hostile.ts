import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BenchCaller, ToolAnswer } from './bench-caller.ts';
import { BenchServer } from './bench-server.ts';
import { engineProcesses } from './process-usage.ts';
import { datasetOf } from './file-transfer.ts';
import { folderDigest } from './folder-digest.ts';
import { hostileStatements, type HostileStatement, type Surroundings } from './hostile-grammar.ts';
import { Prober, type Latency, type Probe } from './latency.ts';

interface HostileOptions {
  readonly server: string;
  /** Emptied first. */
  readonly dataDir: string;
  readonly databaseUrl?: string;
  readonly count: number;
  readonly seed: number;
  /** Quiet and hostile times take turns, so that whatever else the machine does falls on both. */
  readonly rounds: number;
  /** Length of one quiet time. */
  readonly idleMs: number;
  readonly onProgress?: (line: string) => void;
}

interface HostileOutcome {
  readonly kind: string;
  readonly sql: string;
  /** Of the error; `answered` for none. */
  readonly outcome: string;
  readonly ms: number;
}

interface HostileFigures {
  readonly outcomes: readonly HostileOutcome[];
  readonly seconds: number;
  /** How often a hostile caller was told to come again. */
  readonly putOff: number;
  readonly idle: readonly Latency[];
  readonly during: readonly Latency[];
  /** What is left: engine processes, and how much of one core they take. */
  readonly engines: number;
  readonly engineLoad: number;
}

const SECRET = 'canary-of-the-machine';
const ATTACKERS = 4;
const TRIES = 40;
/** Longest a caller may be left without an answer: its turn and its time, and a process that must be started. */
const ANSWER_MS = 60_000;
const REST_MS = 1_000;

/** Sends hostile statements to a real server while others ask it ordinary things, and asserts that nothing came of it. */
export async function measureHostile(options: HostileOptions): Promise<HostileFigures> {
  const trap = await Trap.open(`${options.dataDir}-surroundings`);
  const { dataDir, server, databaseUrl } = options;
  const running = await BenchServer.start({
    server,
    dataDir,
    environment: { OVERMIND_TEST_SECRET: SECRET },
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  try {
    return await attack(running, trap, options);
  } finally {
    await running.stop();
    await trap.close();
  }
}

async function attack(server: BenchServer, trap: Trap, options: HostileOptions): Promise<HostileFigures> {
  const { dataDir, count, seed, rounds, idleMs, onProgress = () => undefined } = options;
  const neighbour = await server.addProject('Neighbour');
  const mine = await datasetOf(server, 'mine.jsonl', '{"id":1,"text":"one"}\n{"id":2,"text":"two"}\n');
  const theirs = await datasetOf(neighbour, 'theirs.jsonl', `{"id":1,"text":"${SECRET}"}\n`);
  const objects = join(dataDir, 'objects');
  const otherObject = [...folderDigest(objects).keys()].find((file) => file.includes(neighbour.projectId));
  const surroundings: Surroundings = { ...trap.surroundings, otherObject: otherObject ?? '' };
  assert.notEqual(surroundings.otherObject, '');
  const digests = (): readonly ReadonlyMap<string, string>[] => [folderDigest(objects), folderDigest(trap.folder)];
  const before = digests();
  const probes = probesOf(server, neighbour, theirs);
  await new Prober(probes).runWhile(counting(20));
  const idle = new Prober(probes);
  const during = new Prober(probes);
  const statements = hostileStatements(surroundings, count, seed);
  assert.equal(statements.length, count);
  const outcomes: HostileOutcome[] = [];
  let putOff = 0;
  let milliseconds = 0;
  const attacker = async (waiting: HostileStatement[]): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { answer, ms, refusals } = await fire(server, mine, next.sql);
      putOff += refusals;
      assertHarmless(answer, next.sql, [SECRET, dataDir, trap.folder]);
      const outcome = answer.error?.code ?? 'answered';
      if (next.expected === 'refused') assert.notEqual(outcome, 'answered', `answered: ${next.sql}`);
      assert.ok(['answered', 'query_invalid', 'invalid_input'].includes(outcome), `${outcome}: ${next.sql}`);
      assert.ok(ms < ANSWER_MS, `${ms.toFixed(0)} ms for ${next.sql}`);
      outcomes.push({ kind: next.kind, sql: next.sql, outcome, ms });
    }
  };
  for (let round = 0; round < rounds; round += 1) {
    const idleUntil = performance.now() + idleMs;
    await idle.runWhile(() => performance.now() < idleUntil);
    const waiting = statements.filter((_, index) => index % rounds === round);
    const started = performance.now();
    let isOver = false;
    const attackers = Promise.all(Array.from({ length: ATTACKERS }, () => attacker(waiting)));
    await Promise.all([during.runWhile(() => !isOver), attackers.finally(() => (isOver = true))]);
    milliseconds += performance.now() - started;
    onProgress(`round ${round + 1}: ${outcomes.length} statements are answered`);
  }

  assert.deepEqual(digests(), before, 'something was written');
  assert.deepEqual([...folderDigest(join(dataDir, 'work')).keys()], [], 'something is left in the work folder');
  assert.equal(trap.requests, 0, 'something asked over the network');
  assert.ok(server.isAlive);
  for (const [caller, dataset, rows] of [
    [server, mine, 2],
    [neighbour, theirs, 1],
  ] as const) {
    const { output } = await caller.call('query_dataset', { dataset, sql: 'SELECT count(*) AS n FROM t' });
    assert.deepEqual(output['rows'], [{ n: rows }]);
  }
  return {
    outcomes,
    seconds: milliseconds / 1_000,
    putOff,
    idle: idle.latencies(),
    during: during.latencies(),
    ...(await enginesAtRest(server.pid)),
  };
}

/** Asks once more when it is told to come again later. */
async function fire(
  caller: BenchCaller,
  dataset: string,
  sql: string,
): Promise<{ readonly answer: ToolAnswer; readonly ms: number; readonly refusals: number }> {
  for (let refusals = 0; ; refusals += 1) {
    const started = performance.now();
    const answer = await caller.call('query_dataset', { dataset, sql });
    const ms = performance.now() - started;
    if (answer.error?.retryable !== true || refusals >= TRIES) return { answer, ms, refusals };
    await wait(50);
  }
}

function assertHarmless({ text }: ToolAnswer, sql: string, secrets: readonly string[]): void {
  for (const secret of secrets) {
    // What the statement itself says may come back.
    if (!sql.includes(secret)) assert.ok(!text.includes(secret), `${secret} after ${sql}`);
    else assert.ok(!text.includes(`${SECRET}"`), sql);
  }
}

function probesOf(server: BenchServer, neighbour: BenchCaller, dataset: string): readonly Probe[] {
  const tool =
    (caller: BenchCaller, name: string, args: Readonly<Record<string, unknown>>) => async (): Promise<void> => {
      const { error } = await caller.call(name, args);
      if (error !== undefined) assert.fail(`${name}: ${error.message}`);
    };
  return [
    { name: 'tools/list', ask: async () => void (await server.rpc('tools/list', {})) },
    { name: 'list_projects', ask: tool(server, 'list_projects', {}) },
    { name: 'query_traces', ask: tool(server, 'query_traces', {}) },
    { name: 'list_datasets', ask: tool(neighbour, 'list_datasets', {}) },
    {
      name: 'query_dataset of another project',
      ask: tool(neighbour, 'query_dataset', { dataset, sql: 'SELECT count(*) AS n FROM t' }),
    },
  ];
}

function counting(times: number): () => boolean {
  let left = times;
  return () => (left -= 1) >= 0;
}

/** No engine goes on with what nobody waits for. */
async function enginesAtRest(pid: number): Promise<Pick<HostileFigures, 'engines' | 'engineLoad'>> {
  const cpu = (): number => engineProcesses(pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  // A process that has just answered opens the database of its next task.
  await wait(REST_MS);
  const before = cpu();
  await wait(REST_MS);
  return { engines: engineProcesses(pid).length, engineLoad: Math.max(0, cpu() - before) / REST_MS };
}

/** Things around a server that must stay as they are. */
class Trap {
  readonly folder: string;
  readonly #server: Server;
  requests = 0;

  private constructor(folder: string, server: Server) {
    this.folder = folder;
    this.#server = server;
    server.on('request', (_request, response) => {
      this.requests += 1;
      response.end('id\n1\n');
    });
  }

  static async open(folder: string): Promise<Trap> {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'loot'), { recursive: true });
    writeFileSync(join(folder, 'secret.csv'), `id,text\n1,${SECRET}\n`);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Trap(folder, server);
  }

  get surroundings(): Omit<Surroundings, 'otherObject'> {
    // because a server that listens on TCP has an address with a port
    const { port } = this.#server.address() as AddressInfo;
    return {
      secretFile: join(this.folder, 'secret.csv'),
      loot: join(this.folder, 'loot'),
      url: `http://127.0.0.1:${port}`,
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
