import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLane, runToEnd, serveApplication, type Lane, type Served } from './lane.ts';

/** Scenarios of 2025-11-25 in which the server asks the client on an open stream, which needs a session. */
const NEEDS_SESSION = [
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'tools-call-elicitation',
  'tools-call-sampling',
];
const PENDING = ['http-custom-header-server-validation', 'http-header-validation', 'json-schema-2020-12'];

interface Row {
  readonly what: string;
  readonly passed: number;
  readonly of: number;
  readonly fine: boolean;
  readonly note: string;
}

interface Scenario {
  readonly name: string;
  readonly failures: readonly string[];
  readonly checks: number;
}

const lane = await openLane();
const rows: Row[] = [];
for (const fastLane of [true, false])
  rows.push(
    ...(await withServer({ fastLane, fixtures: true }, (server) =>
      suite(lane, server, `fast lane ${fastLane ? 'on' : 'off'}`),
    )),
  );
rows.push(...(await withServer({ fastLane: true, fixtures: false }, (server) => inspect(lane, server))));
printTable(rows);
const failed = rows.filter((row) => !row.fine).length;
process.stdout.write(`${rows.length - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);

async function withServer<T>(
  options: { fastLane: boolean; fixtures: boolean },
  use: (server: Served) => Promise<T>,
): Promise<T> {
  const server = await serveApplication(options);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** Both revisions; the first also runs what is not scored: the tasks extension and pending scenarios. */
async function suite(lane: Lane, server: Served, label: string): Promise<Row[]> {
  const modern = await scenarios(lane, server, '2026-07-28', []);
  const legacy = await scenarios(lane, server, '2025-11-25', ['--timeout', '8000']);
  const required = await requiredNames(lane, '2026-07-28');
  const requiredLegacy = await requiredNames(lane, '2025-11-25');
  const tasks = [...modern.keys()].filter((name) => name.startsWith('tasks-'));
  const misses = requiredLegacy.filter((name) => !passes(legacy, name));
  return [
    row(`2026-07-28 required, ${label}`, modern, required, 37),
    row(`tasks extension, ${label}`, modern, tasks, 10),
    row(`pending headers and schema, ${label}`, modern, PENDING, PENDING.length),
    {
      what: `2025-11-25 required, ${label}`,
      passed: requiredLegacy.length - misses.length,
      of: requiredLegacy.length,
      fine: requiredLegacy.length === 30 && misses.toSorted().join() === NEEDS_SESSION.join(),
      note: `without ${misses.toSorted().join(', ')}`,
    },
  ];
}

function row(what: string, results: ReadonlyMap<string, Scenario>, names: readonly string[], of: number): Row {
  const failed = names.filter((name) => !passes(results, name));
  const note = failed.map((name) => `${name}: ${results.get(name)?.failures.join('; ') ?? 'did not run'}`).join(' | ');
  return { what, passed: names.length - failed.length, of, fine: failed.length === 0 && names.length === of, note };
}

function passes(results: ReadonlyMap<string, Scenario>, name: string): boolean {
  return results.get(name)?.failures.length === 0;
}

async function requiredNames(lane: Lane, revision: string): Promise<string[]> {
  const { output } = await runToEnd(lane.node, [lane.conformance, 'list', '--requirements', revision]);
  const [, servers = ''] = output.split('Server scenarios');
  const [list = ''] = servers.split('Client scenarios');
  return [...list.matchAll(/^\s+- (\S+)/gm)].map((match) => match[1] ?? '');
}

/** Runs a revision's scenarios and reads the checks they left, so that a warning is no failure and silence is no pass. */
async function scenarios(
  lane: Lane,
  server: Served,
  revision: string,
  more: readonly string[],
): Promise<Map<string, Scenario>> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-out-'));
  try {
    const args = [lane.conformance, 'server', '--url', server.url, '--requirements', revision, '-o', folder, ...more];
    const { output } = await runToEnd(lane.node, args);
    const results = new Map<string, Scenario>();
    for (const entry of await readdir(folder)) {
      const name = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1];
      if (name !== undefined) results.set(name, await readScenario(name, join(folder, entry, 'checks.json')));
    }
    if (results.size === 0) process.stderr.write(output);
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readScenario(name: string, file: string): Promise<Scenario> {
  const checks: unknown = JSON.parse(await readFile(file, 'utf8'));
  if (!Array.isArray(checks)) throw new Error(`${file} holds no list`);
  // because the suite writes its checks in this shape
  const list = checks as { id: string; status: string; errorMessage?: string }[];
  const failures = list
    .filter((check) => check.status === 'FAILURE')
    .map((check) => `${check.id} ${check.errorMessage ?? ''}`);
  return { name, failures, checks: list.length };
}

/** The official Inspector lists strictly and calls one tool, in every era it knows. */
async function inspect(lane: Lane, server: Served): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-inspector-'));
  const found: Row[] = [];
  try {
    for (const protocolEra of ['legacy', 'auto', 'modern']) {
      const config = join(folder, `${protocolEra}.json`);
      const entry = {
        type: 'streamable-http',
        url: server.url,
        headers: { Authorization: `Bearer ${server.key}` },
        protocolEra,
      };
      await writeFile(config, JSON.stringify({ mcpServers: { product: entry } }));
      const base = [lane.inspector, '--cli', '--config', config, '--server', 'product'];
      const list = await runToEnd(lane.node, [...base, '--method', 'tools/list', '--strict'], 60_000);
      const call = await runToEnd(
        lane.node,
        [...base, '--method', 'tools/call', '--tool-name', 'list_projects'],
        60_000,
      );
      const fine = [
        list.code === 0,
        call.code === 0 && call.output.includes('structuredContent') && !call.output.includes('"isError": true'),
      ];
      const passed = fine.filter(Boolean).length;
      const note = passed === 2 ? '' : `${list.output.slice(-600)} ${call.output.slice(-600)}`;
      found.push({ what: `Inspector, ${protocolEra}`, passed, of: 2, fine: passed === 2, note });
    }
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function printTable(table: readonly Row[]): void {
  const width = Math.max(...table.map((line) => line.what.length));
  for (const { what, passed, of, fine, note } of table) {
    process.stdout.write(
      `${fine ? 'ok  ' : 'FAIL'} ${what.padEnd(width)} ${String(passed).padStart(3)}/${of}  ${note}\n`,
    );
  }
}
