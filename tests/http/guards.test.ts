import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { createClientIp } from '../../src/http/client-ip.ts';
import { isJson, isUnencoded } from '../../src/http/content-type.ts';
import { corsHeaders, preflightHeaders } from '../../src/http/cors.ts';
import { presentedCredential } from '../../src/http/credential.ts';
import { createHostCheck } from '../../src/http/host-guard.ts';
import { createOriginCheck } from '../../src/http/origin-guard.ts';
import { createMemoryRateLimiter } from '../../src/http/rate-limit.ts';
import { createRequestIds } from '../../src/http/request-id.ts';
import { eventually } from '../support/eventually.ts';

describe('createHostCheck', () => {
  it('takes exact names with any port and any case', () => {
    const allows = createHostCheck(['Stock.example', '127.0.0.1']);
    for (const host of ['stock.example', 'STOCK.example:8443', 'stock.example.', '127.0.0.1:80'])
      assert.equal(allows(host), true, host);
    for (const host of ['evil.example', 'stock.example.evil', 'xstock.example', '127.0.0.2', '', undefined])
      assert.equal(allows(host), false, String(host));
  });

  it('takes a leading dot for the name and all below it', () => {
    const allows = createHostCheck(['.stock.example']);
    assert.deepEqual(['stock.example', 'a.b.stock.example:1', 'evilstock.example'].map(allows), [true, true, false]);
  });

  it('takes IPv6 with or without brackets in its rule', () => {
    for (const rule of ['::1', '[::1]']) {
      const allows = createHostCheck([rule]);
      assert.equal(allows('[::1]:8000'), true);
      assert.equal(allows('[::2]'), false);
    }
  });

  it('takes everything well-formed under a star', () => {
    const allows = createHostCheck(['*']);
    assert.equal(allows('any.example:1'), true);
    for (const host of ['a b', 'a/b', 'user@host', 'host:port', 'host:1:2', '[::1'])
      assert.equal(allows(host), false, host);
  });
});

describe('createOriginCheck', () => {
  it('takes absence and exact origins only', () => {
    const allows = createOriginCheck(['https://app.example', 'http://localhost:3000/']);
    for (const origin of [undefined, 'https://app.example', 'https://APP.example', 'http://localhost:3000'])
      assert.equal(allows(origin), true, String(origin));
    for (const origin of [
      'http://app.example',
      'https://app.example:444',
      'https://app.example.evil',
      'null',
      '',
      'http://localhost:3001',
    ])
      assert.equal(allows(origin), false, origin);
  });
});

describe('preflightHeaders', () => {
  it('names every header an MCP client of a browser sends', () => {
    const headers = preflightHeaders('https://app.example', ['POST'], 'authorization, Mcp-Param-Region, x-evil');
    const allowed = headers['access-control-allow-headers']?.split(', ') ?? [];
    for (const name of [
      'authorization',
      'content-type',
      'accept',
      'mcp-protocol-version',
      'mcp-session-id',
      'last-event-id',
      'mcp-method',
      'mcp-name',
      'x-api-key',
      'mcp-param-region',
    ])
      assert.ok(allowed.includes(name), name);
    assert.ok(!allowed.includes('x-evil'));
    assert.equal(headers['access-control-allow-origin'], 'https://app.example');
  });

  it('lets a page read challenges', () => {
    assert.match(
      corsHeaders('https://app.example')['access-control-expose-headers'] ?? '',
      /www-authenticate.*mcp-session-id/,
    );
  });
});

describe('isJson', () => {
  it('takes JSON in UTF-8 and nothing else', () => {
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
    ])
      assert.equal(isJson({ 'content-type': type }), true, type);
    for (const type of [
      'text/plain',
      'application/jsonx',
      'application/json; charset=latin1',
      'application/problem+json',
      '',
    ])
      assert.equal(isJson({ 'content-type': type }), false, type);
    assert.equal(isUnencoded({ 'content-encoding': 'gzip' }), false);
  });
});

describe('createClientIp', () => {
  function request(peer: string, headers: Record<string, string>): IncomingMessage {
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: peer });
    const message = new IncomingMessage(socket);
    Object.assign(message.headers, headers);
    return message;
  }
  const forged = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7' };

  it('ignores every forwarded header without trusted proxies', () => {
    assert.equal(createClientIp()(request('198.51.100.9', forged)), '198.51.100.9');
  });

  it('ignores them from a peer that is not trusted', () => {
    assert.equal(createClientIp(['10.0.0.0/8'])(request('198.51.100.9', forged)), '198.51.100.9');
  });

  it('walks from right to left past trusted proxies and stops at the first stranger', () => {
    const ip = createClientIp(['10.0.0.0/8', '::1']);
    const chain = '203.0.113.7, 198.51.100.1, 10.2.3.4';
    assert.equal(ip(request('10.0.0.1', { 'x-forwarded-for': chain })), '198.51.100.1');
    assert.equal(ip(request('::ffff:10.0.0.1', { 'x-forwarded-for': chain })), '198.51.100.1');
    assert.equal(ip(request('::1', { 'x-forwarded-for': '[2001:db8::1]:4711' })), '2001:db8::1');
    assert.equal(ip(request('10.0.0.1', { 'x-forwarded-for': 'garbage, 10.0.0.2' })), '10.0.0.2');
  });

  it('refuses a proxy list with a typo', () => {
    for (const entry of ['10.0.0.0/33', 'proxy', '10.0.0/8', '10.0.0.1/'])
      assert.throws(() => createClientIp([entry]), RangeError, entry);
  });
});

describe('presentedCredential', () => {
  it('takes either header, the key first', () => {
    assert.deepEqual(
      [
        presentedCredential({ authorization: 'bearer abc' }),
        presentedCredential({ 'x-api-key': 'k', authorization: 'Bearer abc' }),
      ].map((found) => [found?.source, found?.token]),
      [
        ['bearer', 'abc'],
        ['x-api-key', 'k'],
      ],
    );
  });

  it('sees none where there is none', () => {
    for (const headers of [
      {},
      { authorization: 'Basic abc' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer a b' },
      { 'x-api-key': 'k'.repeat(5000) },
    ])
      assert.equal(presentedCredential(headers), undefined);
  });
});

describe('createMemoryRateLimiter', () => {
  it('counts per key and says how long to wait', async () => {
    const limiter = createMemoryRateLimiter({ points: 2, seconds: 60 });
    const answers = [
      await limiter.consume('a'),
      await limiter.consume('a'),
      await limiter.consume('a'),
      await limiter.consume('b'),
    ];
    assert.deepEqual(
      answers.map((answer) => answer.allowed),
      [true, true, false, true],
    );
    const [, , refused] = answers;
    assert.ok(refused?.allowed === false && refused.retryAfterSeconds >= 1 && refused.retryAfterSeconds <= 60);
    assert.equal((await limiter.check('a')).allowed, false);
  });
});

describe('a limiter whose clock jumps', () => {
  const { now } = Date;
  afterEach(() => {
    Date.now = now;
  });

  it('asks nobody to wait for longer than its window, and is over with it', async () => {
    const limiter = createMemoryRateLimiter({ points: 1, seconds: 1 });
    await limiter.consume('a');
    Date.now = () => now() - 3_600_000;
    assert.deepEqual(await limiter.consume('a'), { allowed: false, retryAfterSeconds: 1 });
    assert.deepEqual(await limiter.check('a'), { allowed: false, retryAfterSeconds: 1 });
    await eventually(async () => assert.deepEqual(await limiter.consume('a'), { allowed: true }));
  });

  it('goes on limiting after a leap', async () => {
    const limiter = createMemoryRateLimiter({ points: 1, seconds: 60 });
    await limiter.consume('a');
    Date.now = () => now() + 3_600_000;
    assert.equal((await limiter.consume('a')).allowed, true);
    assert.equal((await limiter.consume('a')).allowed, false);
  });
});

describe('createRequestIds', () => {
  it('takes over harmless ids and replaces all others by unique ones', () => {
    const ids = createRequestIds('stem');
    assert.equal(ids('abc-12345'), 'abc-12345');
    const made = [ids(undefined), ids('short'), ids('bad\nline-12345'), ids('x'.repeat(65))];
    assert.equal(new Set(made).size, 4);
    for (const id of made) assert.match(id, /^stem-/);
  });
});
