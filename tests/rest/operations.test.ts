import assert from 'node:assert/strict';
import { request } from 'node:http';
import { catalog } from '../../generated/catalog/index.ts';
import { openHandle, testAddress } from '../support/boot.ts';
import { given } from '../support/given.ts';
import { rpc, sharedServer, startServer } from '../support/mcp.ts';

async function get(origin: string, path: string, init: RequestInit = {}) {
  const response = await fetch(`${origin}${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

/** With a Host header of the test's own, which fetch does not allow. */
function statusWithHost(origin: string, path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${origin}${path}`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('GET /healthz', () => {
  it('names the contract that is served', async () => {
    const { origin } = await sharedServer();
    const { status, headers, text } = await get(origin, '/healthz');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/json');
    const body = { status: 'ok', version: catalog.server.version, contract_hash: catalog.contractHash };
    assert.deepEqual(JSON.parse(text), body);
  });
});

describe('GET /readyz', () => {
  it('turns red when the database does not answer, and green again when it does', async () => {
    const db = openHandle(await testAddress(), { acquireTimeoutMs: 300 });
    const server = await startServer({ db });
    const ready = () => get(server.origin, '/readyz');
    assert.deepEqual(JSON.parse((await ready()).text), { status: 'ready', checks: { database: 'ok' } });
    await db.destroy();
    const red = await ready();
    assert.equal(red.status, 503);
    const problem = JSON.parse(red.text);
    assert.equal(problem.code, 'unavailable');
    assert.equal(problem.retryable, true);
    assert.deepEqual(problem.fields, { database: 'failing' });
    assert.equal((await get(server.origin, '/healthz')).status, 200);
    db.initialize();
    assert.equal((await ready()).status, 200);
    await server.stop();
  });
});

describe('an outage of the database', () => {
  it('is told as one to agents too, before it is known who calls', async () => {
    const db = openHandle(await testAddress(), { acquireTimeoutMs: 300, poolMax: 1 });
    const server = await startServer({ db });
    const only = await db.transaction();
    const { status, error, headers } = await rpc(server.origin, { key: `ovr_${'b'.repeat(43)}`, method: 'tools/list' });
    assert.deepEqual([status, error?.data?.['code'], error?.data?.['retryable']], [503, 'unavailable', true]);
    assert.match(headers.get('retry-after') ?? '', /^[1-9]/);
    await only.rollback();
    await server.stop();
  });
});

describe('GET /metrics', () => {
  it('counts operations of this process by contract name and outcome', async () => {
    const server = await startServer({ processes: 1 });
    const world = await given.project({ server });
    await world.call('list_projects', {});
    await world.refuses('list_projects', { limit: 0 }, { code: 'invalid_input' });
    const { status, headers, text } = await get(server.origin, '/metrics');
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(text, /^overmind_operations_total\{kind="tool",name="list_projects",outcome="ok"\} 1$/m);
    assert.match(text, /^overmind_operations_total\{kind="tool",name="list_projects",outcome="invalid_input"\} 1$/m);
    assert.match(text, /^overmind_operation_duration_seconds_count\{kind="tool",name="list_projects"\} 2$/m);
    await server.stop();
  });

  it('answers only this machine, or whoever holds the token', async () => {
    const server = await startServer({ environment: { METRICS_TOKEN: 'long-random-text' } });
    const through = { 'x-forwarded-for': '198.51.100.1' };
    const status = async (headers: Record<string, string>) =>
      (await get(server.origin, '/metrics', { headers })).status;
    assert.equal(await status({}), 200);
    assert.equal(await status(through), 403);
    assert.equal(await status({ ...through, authorization: 'Bearer wrong' }), 403);
    assert.equal(await status({ ...through, authorization: 'Bearer long-random-text' }), 200);
    await server.stop();
  });
});

describe('the router', () => {
  it('answers what is not there, and a wrong method, as a problem with a stable code', async () => {
    const { origin } = await sharedServer();
    const absent = await get(origin, '/nothing');
    assert.equal(absent.status, 404);
    assert.equal(absent.headers.get('content-type'), 'application/problem+json');
    assert.equal(JSON.parse(absent.text).code, 'resource_not_found');
    assert.equal(JSON.parse(absent.text).request_id, absent.headers.get('x-request-id'));
    const wrong = await get(origin, '/healthz', { method: 'POST' });
    assert.equal(wrong.status, 405);
    assert.equal(wrong.headers.get('allow'), 'GET');
    assert.equal((await get(origin, '/healthz', { method: 'HEAD' })).status, 200);
  });

  it('refuses foreign hosts with 421 and foreign origins with 403', async () => {
    const { origin } = await sharedServer();
    assert.equal(await statusWithHost(origin, '/healthz', 'evil.example.com'), 421);
    assert.equal(await statusWithHost(origin, '/healthz', 'localhost'), 200);
    const headers = { origin: 'https://evil.example.com' };
    const refused = await get(origin, '/healthz', { headers });
    assert.equal(refused.status, 403);
    assert.equal(JSON.parse(refused.text).code, 'origin_not_allowed');
  });

  it('asks for a key, then for the permission, before it reads a body', async () => {
    const { origin } = await sharedServer();
    const reader = await given.project({ permissions: { read: true, write: false } });
    const send = (key?: string) =>
      get(origin, '/v1/traces', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) },
        body: 'not json',
      });
    const anonymous = await send();
    assert.equal(anonymous.status, 401);
    assert.match(anonymous.headers.get('www-authenticate') ?? '', /^ApiKey /);
    assert.equal((await send(reader.key)).status, 403);
    assert.equal((await send((await given.project()).key)).status, 400);
  });
});
