import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { rpc } from '../support/mcp.ts';
import { emptyFolder, serve, type RunningServer } from '../support/process.ts';

const CLIENT = { name: 'e2e', version: '1' };

describe('overmind-mcp serve on an empty folder', function () {
  this.timeout(90_000);
  let folder: string;
  let server: RunningServer;

  before(async () => {
    folder = await emptyFolder();
    server = await serve({ DATA_DIR: folder });
  });

  after(async () => {
    await server.process.stop();
  });

  const key = () => server.ready.first_run?.key ?? assert.fail('the first start shows no key');
  const options = () => ({ requestInit: { headers: { 'x-api-key': key() } } });

  it('shows the key once and keeps it where only its owner can read it', async () => {
    const file = join(folder, 'first-run.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), server.ready.first_run);
    assert.equal(server.ready.first_run?.url, server.ready.url);
  });

  it('serves the client of the handshake generation', async () => {
    const client = new LegacyClient(CLIENT);
    // because the transport's own optional properties are not exact
    await client.connect(new LegacyTransport(new URL(server.ready.url), options()) as never);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'list_projects'));
    const answer = await client.callTool({ name: 'list_projects', arguments: {} });
    assert.equal(projectIdOf(answer.structuredContent), server.ready.first_run?.project_id);
    await client.close();
  });

  const modes = { legacy: 'legacy', auto: 'auto', pinned: { pin: '2026-07-28' } } as const;
  for (const [name, mode] of Object.entries(modes)) {
    it(`serves the client of the envelope generation, ${name}`, async () => {
      const client = new ModernClient(CLIENT, { versionNegotiation: { mode } });
      await client.connect(new ModernTransport(new URL(server.ready.url), options()));
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name: tool }) => tool === 'list_projects'));
      const answer = await client.callTool({ name: 'list_projects', arguments: {} });
      assert.equal(projectIdOf(answer.structuredContent), server.ready.first_run?.project_id);
      await client.close();
    });
  }

  it('stops its database when it stops, and starts again with the same key and without showing it', async () => {
    const first = key();
    const stopped = await server.process.stop();
    assert.equal(stopped.code, 0, stopped.stderr);
    assert.equal(existsSync(join(folder, 'postgres/data/postmaster.pid')), false);
    const again = await serve({ DATA_DIR: folder });
    assert.equal(again.ready.first_run, undefined);
    assert.ok(!again.process.stdout.includes(first));
    assert.equal((await rpc(again.origin, { key: first, method: 'tools/list' })).status, 200);
    const note: unknown = JSON.parse(await readFile(join(folder, 'first-run.json'), 'utf8'));
    const setup = new URL(server.ready.first_run?.setup_url ?? assert.fail('there is no set-up link'));
    const moved = new URL(setup.pathname + setup.search, again.ready.url).href;
    assert.deepEqual(note, { ...server.ready.first_run, url: again.ready.url, setup_url: moved });
    server = again;
  });
});

function projectIdOf(content: unknown): unknown {
  assert.ok(
    typeof content === 'object' && content !== null && 'projects' in content && Array.isArray(content.projects),
  );
  return content.projects[0]?.id;
}
