import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { DiffReport } from '../../../codegen/diff/finding.ts';
import type { Surface } from '../../../codegen/diff/surface/types.ts';
import { run } from '../../codegen/support-back/command.ts';
import { freePort } from '../../support/free-port.ts';

/** Most packages export nothing, so their programs are named by file. */
function program(name: string, file = 'dist/index.js'): string {
  return resolve('node_modules', name, file);
}

const EVERYTHING = program('@modelcontextprotocol/server-everything');
const FILES = program('@modelcontextprotocol/server-filesystem');
const FILES_BEFORE = program('server-filesystem-before');
const MEMORY = program('@modelcontextprotocol/server-memory');
const THINKING = program('@modelcontextprotocol/server-sequential-thinking');
const VANILLA = program('@modelcontextprotocol/server-basic-vanillajs');
const FASTMCP = program('fastmcp', 'dist/examples/custom-routes.js');

interface Expected {
  readonly tools: number;
  readonly resources: number;
  readonly templates: number;
  readonly prompts: number;
}

interface Local extends Expected {
  readonly name: string;
  readonly argv: readonly string[];
}

const LOCAL: readonly Local[] = [
  {
    name: 'the official example of everything',
    argv: [EVERYTHING, 'stdio'],
    tools: 13,
    resources: 7,
    templates: 2,
    prompts: 4,
  },
  { name: 'the official file server', argv: [FILES, tmpdir()], tools: 14, resources: 0, templates: 0, prompts: 0 },
  {
    name: 'the file server of a year before',
    argv: [FILES_BEFORE, tmpdir()],
    tools: 14,
    resources: 0,
    templates: 0,
    prompts: 0,
  },
  { name: 'the official memory server', argv: [MEMORY], tools: 9, resources: 1, templates: 0, prompts: 0 },
  { name: 'the official thinking server', argv: [THINKING], tools: 1, resources: 0, templates: 0, prompts: 0 },
  { name: 'an example on the v2 SDK', argv: [VANILLA, '--stdio'], tools: 1, resources: 1, templates: 0, prompts: 0 },
];

function countsOf({ tools, resources, prompts }: Surface): Expected {
  const all = Object.values(resources);
  return {
    tools: Object.keys(tools).length,
    resources: all.filter(({ uri }) => uri !== undefined).length,
    templates: all.filter(({ uri }) => uri === undefined).length,
    prompts: Object.keys(prompts).length,
  };
}

describe('pull and diff on servers nobody here wrote', function () {
  this.timeout(60_000);
  let folder: string;
  const running: ChildProcess[] = [];

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'foreign-'));
  });

  after(async () => {
    for (const child of running) {
      const closed = once(child, 'close');
      child.kill();
      await closed;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a server on a port of its own and waits until it takes connections. */
  async function start(file: string, portVariable: string, argv: readonly string[] = []): Promise<string> {
    const port = await freePort();
    const child = spawn(process.execPath, [file, ...argv], {
      env: { PATH: process.env['PATH'] ?? '', [portVariable]: String(port) },
      stdio: 'ignore',
    });
    running.push(child);
    const origin = `http://127.0.0.1:${port}`;
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const answered = await fetch(origin).then(
        () => true,
        () => false,
      );
      if (answered) return origin;
      await wait(50);
    }
    throw new Error(`${file} does not listen`);
  }

  const surfaceIn = (file: string): Surface => JSON.parse(readFileSync(join(folder, file), 'utf8')).surface;

  async function diff(before: string, after: string): Promise<DiffReport> {
    const { out, err } = await run(folder, 'diff', '--format', 'json', `${before}..${after}`);
    assert.notEqual(out, '', err);
    return JSON.parse(out);
  }

  async function pullTwice(...argv: readonly string[]): Promise<Surface> {
    for (const out of ['first.json', 'second.json']) {
      const answer = await run(folder, 'pull', '--out', out, ...argv);
      assert.equal(answer.code, 0, answer.err);
    }
    const { findings, failed } = await diff('first.json', 'second.json');
    assert.deepEqual(findings, []);
    assert.equal(failed, false);
    return surfaceIn('first.json');
  }

  for (const { name, argv, ...expected } of LOCAL) {
    it(`reads ${name} as a command, and finds no change from itself`, async () => {
      const surface = await pullTwice('--stdio', '--', process.execPath, ...argv);
      assert.deepEqual(countsOf(surface), expected);
      assert.deepEqual(surface.server.revisions, ['2025-11-25']);
    });
  }

  it('reads the official example over HTTP, where it answers with streams and keeps sessions', async () => {
    const origin = await start(EVERYTHING, 'PORT', ['streamableHttp']);
    const surface = await pullTwice(`${origin}/mcp`);
    assert.equal(countsOf(surface).tools, 13);
  });

  it('reads a FastMCP server as two grants, and names the challenge without a credential', async () => {
    const origin = await start(FASTMCP, 'FASTMCP_PORT');
    const surface = await pullTwice(
      `${origin}/mcp`,
      '--grant',
      'admin=Authorization: Bearer admin-token',
      '--grant',
      'user=Authorization: Bearer user-token',
    );
    assert.deepEqual(countsOf(surface), { tools: 3, resources: 1, templates: 0, prompts: 0 });
    assert.deepEqual(
      surface.views.map(({ grant, input }) => [grant, input]),
      [
        ['admin', 'admin'],
        ['user', 'admin'],
      ],
    );
    const refused = await run(folder, 'pull', `${origin}/mcp`);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /wants a credential \(401, challenge “Bearer error="invalid_token"/u);
    const page = await run(folder, 'pull', `${origin}/docs`);
    assert.match(page.err, /does not take MCP requests \(404\)/u);
  });

  it('gates two releases of the file server with the findings a reviewer would make', async () => {
    const releases = { 'before.json': FILES_BEFORE, 'after.json': FILES };
    for (const [out, file] of Object.entries(releases)) {
      const { code, err } = await run(folder, 'pull', '--out', out, '--stdio', '--', process.execPath, file, tmpdir());
      assert.equal(code, 0, err);
    }
    const { findings, failed } = await diff('before.json', 'after.json');
    assert.equal(failed, true);
    const breaking = findings.filter(({ verdict }) => verdict === 'breaking');
    assert.deepEqual([...new Set(breaking.map(({ entity }) => entity))], ['tool move_file', 'tool read_media_file']);
    const destructive = breaking.find(({ rule }) => rule === 'hint-destructive-gained');
    assert.deepEqual([destructive?.before, destructive?.after], [false, true]);
    const results = breaking.filter(({ entity }) => entity === 'tool read_media_file');
    assert.ok(results.length > 0);
    for (const { direction, witness } of results) {
      assert.equal(direction, 'out');
      assert.deepEqual([witness?.acceptedBy, witness?.refusedBy], ['new', 'old']);
    }
    const rest = findings.filter(({ verdict }) => verdict !== 'breaking');
    assert.ok(rest.every(({ verdict }) => verdict === 'notice'));
    assert.deepEqual([...new Set(rest.map(({ rule }) => rule))].toSorted(), [
      'hint-open-world-lost',
      'tool-description-changed',
    ]);
  });
});
