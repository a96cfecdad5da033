import assert from 'node:assert/strict';
import { request, type ClientRequest } from 'node:http';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { exportSpans } from '../domain/observability/support/export.ts';
import { traceId } from '../domain/observability/support/otlp.ts';
import { openHandle } from '../support/boot.ts';
import { eventually } from '../support/eventually.ts';
import { rpc } from '../support/mcp.ts';
import { emptyDatabaseUrl, emptyFolder, overmind, OvermindProcess, serve } from '../support/process.ts';

/** A server on a database of its own and the key it made. */
async function started(args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) {
  const settings = { DATA_DIR: await emptyFolder(), DATABASE_URL: await emptyDatabaseUrl(), ...environment };
  const server = await serve(settings, args);
  const key = server.ready.first_run?.key ?? assert.fail('no key was made');
  return { ...server, settings, key };
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects' } });

/** A call whose body is only half sent, so that it is in flight for as long as the test wants. */
function halfSent(origin: string, key: string): ClientRequest {
  const call = request(`${origin}/api/mcp/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': String(Buffer.byteLength(PING)),
      'x-api-key': key,
    },
  });
  call.on('error', () => undefined);
  call.write(PING.slice(0, 20));
  return call;
}

describe('overmind-mcp serve', function () {
  this.timeout(120_000);

  it('finishes what is in flight when it is told to stop, takes nothing new, and keeps the audit', async () => {
    const { process, origin, key, settings } = await started();
    const call = halfSent(origin, key);
    await rpc(origin, { key, method: 'tools/call', params: { name: 'list_projects', arguments: {} } });
    process.child.kill('SIGTERM');
    await eventually(() => assert.rejects(fetch(`${origin}/healthz`)));
    const answer = once(call, 'response');
    call.end(PING.slice(20));
    const [response] = await answer;
    assert.equal(response.statusCode, 200);
    response.resume();
    const { code, stderr } = await process.ended();
    assert.equal(code, 0, stderr);
    const rows = await openHandle({ url: settings.DATABASE_URL })('agent_calls').where({
      name: 'list_projects',
      outcome: 'ok',
    });
    assert.equal(rows.length, 2);
  });

  it('ends at once on a second signal', async () => {
    const { process, origin, key } = await started([], { SHUTDOWN_SECONDS: '60' });
    const call = halfSent(origin, key);
    await rpc(origin, { key, method: 'ping' });
    process.child.kill('SIGINT');
    await eventually(() => assert.rejects(fetch(`${origin}/healthz`)));
    process.child.kill('SIGINT');
    assert.equal((await process.ended()).code, 1);
    call.destroy();
  });

  it('starts twice at once on one empty database: one makes the first key, both accept it', async () => {
    const DATABASE_URL = await emptyDatabaseUrl();
    const servers = await Promise.all(
      [await emptyFolder(), await emptyFolder()].map((folder) => serve({ DATA_DIR: folder, DATABASE_URL })),
    );
    const made = servers.flatMap(({ ready }) => ready.first_run ?? []);
    assert.equal(made.length, 1);
    for (const { origin } of servers) {
      assert.equal((await rpc(origin, { key: made[0]?.key ?? '', method: 'tools/list' })).status, 200);
    }
    for (const { code } of await Promise.all(servers.map(({ process }) => process.stop()))) assert.equal(code, 0);
  });

  it('leaves jobs to a process of their own when told so', async () => {
    const { process, origin, key, settings } = await started(['--no-worker']);
    const trace = traceId();
    await exportSpans({ server: { origin }, key } as never, [{ trace, name: 'handle ticket' }]); // because only these two are used
    const call = async (name: string, args: object) => {
      const { result } = await rpc(origin, { key, method: 'tools/call', params: { name, arguments: args } });
      // because the answers asserted on below come from these fields
      return result?.['structuredContent'] as { status?: string; final?: boolean; job?: { kind: string; id: string } };
    };
    const { job } = await call('create_dataset_from_traces', { name: 'tickets', trace_ids: [trace] });
    const state = () => call('get_job', { kind: job?.kind, id: job?.id });
    assert.equal((await state()).final, false);
    const worker = new OvermindProcess(['work'], settings);
    await eventually(async () => assert.equal((await state()).status, 'idle'), { withinMs: 60_000, everyMs: 200 });
    assert.equal((await worker.stop()).code, 0);
    assert.equal((await process.stop()).code, 0);
  });

  it('refuses a key within two seconds of its revocation at the command line', async () => {
    const { process, origin, key, settings } = await started();
    const status = async () => (await rpc(origin, { key, method: 'tools/list' })).status;
    assert.equal(await status(), 200);
    const revoked = await overmind(['key', 'revoke', key.slice(0, 12)], settings);
    assert.equal(revoked.code, 0, revoked.stderr);
    await eventually(async () => assert.equal(await status(), 401), { withinMs: 2_500 });
    await process.stop();
  });
});

describe('a wrong setting', function () {
  this.timeout(60_000);

  it('names itself and a value that works, and ends with 2', async () => {
    const { code, stderr, stdout } = await overmind(['serve'], { PORT: 'eighty' });
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /^PORT is "eighty"; it must be a whole number from 0 to 65535\. For example: PORT=8000$/m);
  });

  it('is told apart from a port that is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const address = holder.address();
    assert.ok(typeof address === 'object' && address !== null);
    const { code, stderr } = await overmind(['serve'], { PORT: String(address.port), DATA_DIR: await emptyFolder() });
    holder.close();
    assert.equal(code, 2);
    assert.match(stderr, /PORT: 127\.0\.0\.1:\d+ is in use\..*PORT=8001/);
  });

  it('names DATABASE_URL when nothing answers there, or the database does not exist', async () => {
    const DATA_DIR = await emptyFolder();
    const silent = await overmind(['migrate'], { DATA_DIR, DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/x' });
    assert.equal(silent.code, 1);
    assert.match(silent.stderr, /The database of DATABASE_URL does not answer/);
    assert.ok(!silent.stderr.includes('hunter2'));
    const url = new URL(await emptyDatabaseUrl());
    url.pathname = '/no_such_database';
    const absent = await overmind(['migrate'], { DATA_DIR, DATABASE_URL: url.href });
    assert.equal(absent.code, 2);
    assert.match(absent.stderr, /DATABASE_URL names a database that does not exist/);
  });
});
