import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { createMemoryRateLimiter } from '../../src/http/rate-limit.ts';
import { callTool, message, rpc, send } from './support/rpc.ts';
import { openRoom, StockRoom, type RunningRoom } from './support/stock-room.ts';

describe('MCP transport', () => {
  let open: RunningRoom;
  beforeEach(async () => {
    open = await openRoom();
  });
  afterEach(() => open.close());

  const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };

  it('accepts a client that only takes JSON, also where an SDK answers', async () => {
    for (const method of ['tools/list', 'initialize']) {
      const answer = await rpc(open.port, method, method === 'initialize' ? INITIALIZE : {}, {
        headers: { accept: 'application/json' },
      });
      assert.equal(answer.status, 200, method);
      assert.equal(answer.headers['content-type'], 'application/json');
      assert.ok(answer.json.result);
    }
  });

  it('answers 406 to a client that takes no JSON', async () => {
    assert.equal((await rpc(open.port, 'tools/list', {}, { headers: { accept: 'text/html' } })).status, 406);
  });

  it('negotiates a version at initialize whatever the client asks for', async () => {
    const cases: [string, Record<string, string>][] = [
      ['2099-01-01', {}],
      ['2099-01-01', { 'mcp-protocol-version': '2099-01-01' }],
      ['2024-10-07', {}],
      ['2025-03-26', {}],
    ];
    for (const [protocolVersion, headers] of cases) {
      const { headers: base, body } = message('initialize', { ...INITIALIZE, protocolVersion });
      delete base['mcp-protocol-version'];
      const answer = await send(open.port, { headers: { ...base, ...headers }, body });
      assert.equal(answer.status, 200, protocolVersion);
      assert.equal(answer.json.result.protocolVersion, protocolVersion === '2025-03-26' ? '2025-03-26' : '2025-11-25');
      assert.deepEqual(answer.json.result.serverInfo, { name: 'stock-room', title: 'Stock room', version: '1.2.3' });
      assert.equal(answer.json.result.instructions, 'Read stock://help first.');
      assert.equal(answer.headers['mcp-session-id'], undefined);
    }
  });

  it('refuses unknown and retired versions on every other request and names those it serves', async () => {
    for (const version of ['2099-01-01', '2024-10-07', 'nonsense']) {
      const answer = await rpc(open.port, 'tools/list', {}, { headers: { 'mcp-protocol-version': version } });
      assert.equal(answer.status, 400);
      assert.equal(answer.json.error.data.code, 'protocol_version_unsupported');
      assert.ok(answer.json.error.data.fields.supported.includes('2026-07-28'));
      assert.ok(answer.json.error.code !== -32022);
    }
    const modern = await rpc(
      open.port,
      'tools/list',
      {},
      {
        era: 'modern',
        headers: { 'mcp-protocol-version': '2099-01-01' },
        meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
      },
    );
    assert.equal(modern.status, 400);
    assert.deepEqual(modern.json.error.data.supported, ['2026-07-28']);
  });

  it('answers the same on both spellings of its path, without and with a credential', async () => {
    for (const key of [null, 'key-project-a']) {
      const [bare, slashed] = await Promise.all(
        ['/api/mcp', '/api/mcp/'].map((path) => rpc(open.port, 'tools/list', {}, { key, path })),
      );
      assert.equal(bare?.status, key === null ? 401 : 200);
      assert.equal(slashed?.status, bare?.status);
      assert.deepEqual(slashed?.json, bare?.json);
      for (const answer of [bare, slashed]) {
        assert.equal(answer?.headers.location, undefined);
        if (key === null)
          assert.match(String(answer?.headers['www-authenticate']), /^Bearer resource_metadata="https:/);
      }
    }
  });

  it('answers a preflight of an allowed origin before it asks for a credential', async () => {
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, mcp-protocol-version',
    };
    const answer = await send(open.port, { method: 'OPTIONS', headers });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers['access-control-allow-origin'], 'https://app.example');
    for (const name of ['authorization', 'mcp-protocol-version'])
      assert.ok(String(answer.headers['access-control-allow-headers']).includes(name));
    const foreign = await send(open.port, {
      method: 'OPTIONS',
      headers: { ...headers, origin: 'https://evil.example' },
    });
    assert.equal(foreign.status, 403);
    assert.equal(foreign.headers['access-control-allow-origin'], undefined);
  });

  it('refuses a foreign origin and runs nothing', async () => {
    const answer = await callTool(
      open.port,
      'create_item',
      { name: 'x' },
      { headers: { origin: 'https://evil.example' } },
    );
    assert.equal(answer.status, 403);
    assert.equal(answer.json.error.data.code, 'origin_not_allowed');
    assert.equal(open.room.created.length, 0);
    const allowed = await callTool(
      open.port,
      'create_item',
      { name: 'x' },
      { headers: { origin: 'https://app.example' } },
    );
    assert.equal(allowed.status, 200);
    assert.equal(allowed.headers['access-control-allow-origin'], 'https://app.example');
  });

  it('tells a foreign host before it looks at credential, method or type', async () => {
    const answer = await send(open.port, {
      method: 'DELETE',
      headers: { host: 'evil.example', origin: 'https://evil.example' },
    });
    assert.equal(answer.status, 421);
    assert.equal(answer.json.error.data.code, 'invalid_request');
  });

  it('answers GET and DELETE at once with 405 and what it allows', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await send(open.port, {
        method,
        headers: { accept: 'text/event-stream', origin: 'https://app.example' },
      });
      assert.equal(answer.status, 405, method);
      assert.match(String(answer.headers.allow), /POST/);
      assert.equal(answer.headers['access-control-allow-origin'], 'https://app.example');
    }
  });

  it('refuses other content types, encodings and charsets', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-encoding': 'gzip' },
      { 'content-type': 'application/json; charset=utf-16' },
    ]) {
      assert.equal((await rpc(open.port, 'tools/list', {}, { headers })).status, 415);
    }
  });

  it('refuses batches and executes nothing of them', async () => {
    const { headers } = message('tools/call');
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'create_item', arguments: { name: 'x' } } };
    const answer = await send(open.port, {
      headers,
      body: JSON.stringify([
        { ...call, id: 1 },
        { ...call, id: 2 },
      ]),
    });
    assert.equal(answer.status, 400);
    assert.equal(answer.json.error.code, -32600);
    assert.match(answer.json.error.message, /Batches are not supported/);
    assert.equal(open.room.created.length + open.room.audit.length, 0);
  });

  it('refuses what is no message of JSON-RPC', async () => {
    const { headers } = message('tools/list');
    for (const body of [
      '{}',
      '"text"',
      '42',
      'null',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    ]) {
      const answer = await send(open.port, { headers, body });
      assert.equal(answer.status, 400, body);
      assert.equal(answer.json.error.code, -32600, body);
    }
    for (const body of [Buffer.from('{'), Buffer.from(''), Buffer.from([0x7b, 0xff, 0x7d])]) {
      const answer = await send(open.port, { headers, body });
      assert.equal(answer.status, 400);
      assert.equal(answer.json.error.code, -32700);
    }
  });

  it('refuses deep nesting without a word of the engine, and the next request is fine', async () => {
    const { headers } = message('tools/call');
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const answer = await send(open.port, {
      headers,
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_items","arguments":{"row":${deep}}}}`,
    });
    assert.equal(answer.status, 400);
    assert.equal(answer.json.error.code, -32600);
    assert.doesNotMatch(answer.text, /call stack/i);
    assert.equal((await rpc(open.port, 'tools/list')).status, 200);
  });

  it('refuses a large body, declared or counted, and keeps the connection usable', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { headers, body } = message('tools/call', {
      name: 'list_items',
      arguments: { label: 'x'.repeat(5_000_000) },
    });
    const before = process.memoryUsage().rss;
    const declared = await send(open.port, { headers, body, agent });
    const counted = await send(open.port, { headers: { ...headers, 'transfer-encoding': 'chunked' }, body, agent });
    const after = await rpc(open.port, 'tools/list', {}, { agent });
    agent.destroy();
    assert.deepEqual([declared.status, counted.status, after.status], [413, 413, 200]);
    assert.equal(declared.json.error.data.code, 'invalid_request');
    assert.equal(open.room.handled, 0);
    assert.ok(process.memoryUsage().rss - before < 150_000_000);
  });

  it('refuses a declared large body without waiting for it', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(open.port, '127.0.0.1', () => {
        socket.write(
          'POST /api/mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99999999\r\n\r\n',
        );
      });
      socket.once('data', (data) => {
        socket.destroy();
        resolve(data.toString());
      });
      socket.once('error', reject);
    });
    assert.match(text, /^HTTP\/1\.1 413 /);
  });

  it('ends a body that does not arrive', async () => {
    await open.close();
    open = await openRoom({ guards: { allowedHosts: ['localhost'], allowedOrigins: [], bodyTimeoutMs: 60 } });
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(open.port, '127.0.0.1', () => {
        socket.write(
          'POST /api/mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nx-api-key: key-project-a\r\ncontent-length: 50\r\n\r\n{"json',
        );
      });
      socket.on('data', (data) => (received += data.toString()));
      socket.once('close', () => resolve(received));
      socket.once('error', reject);
    });
    assert.match(text, /^HTTP\/1\.1 408 /);
    assert.match(text, /connection: close/i);
  });

  it('accepts notifications without an answer', async () => {
    const { headers } = message('ping');
    const answer = await send(open.port, {
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    });
    assert.equal(answer.status, 202);
    assert.equal(answer.text, '');
  });

  it('checks the headers of the 2026 revision against the body', async () => {
    const good = { name: 'list_items', arguments: {} };
    const cases: [Record<string, string>, number][] = [
      [{}, 200],
      [{ 'mcp-name': 'create_item' }, 400],
      [{ 'mcp-name': 'LIST_ITEMS' }, 400],
      [{ 'mcp-method': 'tools/list' }, 400],
      [{ 'mcp-protocol-version': '2025-11-25' }, 400],
      [{ 'mcp-name': `=?base64?${Buffer.from('list_items').toString('base64')}?=` }, 200],
      [{ 'mcp-name': `=?base64?${Buffer.from('create_item').toString('base64')}?=` }, 400],
    ];
    for (const [headers, status] of cases) {
      const answer = await rpc(open.port, 'tools/call', good, { era: 'modern', headers });
      assert.equal(answer.status, status, JSON.stringify(headers));
      if (status === 400) assert.equal(answer.json.error.code, -32020, JSON.stringify(headers));
    }
    assert.equal(open.room.handled, 2);
    for (const missing of ['mcp-protocol-version', 'mcp-method', 'mcp-name']) {
      const { headers, body } = message('tools/call', good, { era: 'modern' });
      delete headers[missing];
      const answer = await send(open.port, { headers, body });
      assert.deepEqual([answer.status, answer.json.error.code], [400, -32020], missing);
    }
  });

  it('checks mirrored arguments of the 2026 revision', async () => {
    const call = { name: 'regional', arguments: { region: 'north' } };
    const good = await rpc(open.port, 'tools/call', call, { era: 'modern', headers: { 'mcp-param-region': 'north' } });
    assert.equal(good.json.result.structuredContent.region, 'north');
    const bad = await rpc(open.port, 'tools/call', call, { era: 'modern', headers: { 'mcp-param-region': 'south' } });
    assert.deepEqual([bad.status, bad.json.error.code], [400, -32020]);
  });

  it('names the contract in its discovery', async () => {
    const { json } = await rpc(open.port, 'server/discover', {}, { era: 'modern' });
    assert.equal(json.result._meta.contractHash, 'a'.repeat(64));
    assert.equal(json.result.cacheScope, 'private');
    assert.deepEqual(json.result.supportedVersions, ['2026-07-28']);
    assert.equal(json.result.capabilities.tools.listChanged, false);
  });

  it('limits calls per credential and leaves other credentials alone', async () => {
    await open.close();
    const rateLimiter = createMemoryRateLimiter({ points: 20, seconds: 60 });
    open = await openRoom({ guards: { allowedHosts: ['localhost'], allowedOrigins: [], rateLimiter } });
    const statuses = await Promise.all(Array.from({ length: 30 }, () => callTool(open.port, 'whoami')));
    const refused = statuses.filter((answer) => answer.status === 429);
    assert.equal(refused.length, 10);
    assert.match(String(refused[0]?.headers['retry-after']), /^[1-9]\d*$/);
    assert.equal(refused[0]?.json.error.data.code, 'rate_limited');
    assert.equal(refused[0]?.json.error.data.retryable, true);
    assert.equal((await callTool(open.port, 'whoami', {}, { key: 'key-project-b' })).status, 200);
  });

  it('slows down guessing by address, although every guess looks like a new caller', async () => {
    await open.close();
    const limits = {
      rateLimiter: createMemoryRateLimiter({ points: 5, seconds: 60 }),
      failureLimiter: createMemoryRateLimiter({ points: 5, seconds: 60 }),
    };
    open = await openRoom({ guards: { allowedHosts: ['localhost'], allowedOrigins: [], ...limits } });
    const statuses: number[] = [];
    for (let guess = 0; guess < 8; guess++)
      statuses.push((await callTool(open.port, 'whoami', {}, { key: `guess-${guess}` })).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
  });

  it('lets every kind of request wait while it could not be written down, and refuses those that wait in vain', async () => {
    await open.close();
    const room = new StockRoom();
    const { ports } = room.options();
    let answer: () => Promise<void> = async () => Promise.reject(new Error('no room'));
    open = await openRoom({ ports: { ...ports, audit: { ...ports.audit, room: () => answer() } } }, room);
    const requests = [
      message('tools/call', { name: 'list_items', arguments: {} }),
      message('resources/read', { uri: 'stock://project/current' }),
      message('prompts/get', { name: 'nothing', arguments: {} }),
      message('tools/list', {}),
    ];
    for (const { headers, body } of requests) {
      const refused = await send(open.port, { headers, body });
      assert.deepEqual([refused.status, refused.json.error.data.code], [503, 'unavailable']);
      assert.equal(refused.headers['retry-after'], '5');
    }
    assert.deepEqual([room.handled, room.audit.length], [0, 0]);
    answer = async () => undefined;
    assert.equal((await rpc(open.port, 'tools/list', {})).status, 200);
  });

  it('passes other paths on', async () => {
    assert.equal((await send(open.port, { path: '/elsewhere', method: 'GET' })).status, 404);
  });

  it('never mixes up the answers of two callers that use the same request ids', async () => {
    const calls = Array.from({ length: 200 }, (_, index) => {
      const delay = (index * 7) % 30;
      return ['key-project-a', 'key-project-b'].map(async (key) => {
        const { json } = await callTool(
          open.port,
          'whoami',
          { delay_ms: delay },
          { key, id: 2, era: index % 2 === 0 ? 'legacy' : 'modern' },
        );
        return [key, json.id, json.result.structuredContent.project_id];
      });
    });
    for (const [key, id, project] of await Promise.all(calls.flat())) {
      assert.equal(id, 2);
      assert.equal(project, key === 'key-project-a' ? 'project-a' : 'project-b');
    }
  });
});
