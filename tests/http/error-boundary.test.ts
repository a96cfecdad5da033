import assert from 'node:assert/strict';
import Koa from 'koa';
import request from 'supertest';
import { accessLog, createAccessLog } from '../../src/http/access-log.ts';
import { cors } from '../../src/http/cors.ts';
import { errorBoundary } from '../../src/http/error-boundary.ts';
import { createHostCheck, hostGuard } from '../../src/http/host-guard.ts';
import { methodGuard } from '../../src/http/method.ts';
import { createOriginCheck } from '../../src/http/origin-guard.ts';
import { rateLimit, createMemoryRateLimiter } from '../../src/http/rate-limit.ts';
import { createRequestIds, requestId } from '../../src/http/request-id.ts';
import { securityHeaders } from '../../src/http/security-headers.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { createLogger } from '../../src/kernel/logger.ts';

const CODES: Record<string, { http: number; retryable: boolean }> = {
  item_not_found: { http: 404, retryable: false },
  unavailable: { http: 503, retryable: true },
};

function app(answer: (ctx: Koa.Context) => void, log: string[] = []): ReturnType<Koa['callback']> {
  const koa = new Koa();
  const logger = createLogger({ level: 'debug', write: (line) => void log.push(line) });
  koa.use(requestId(createRequestIds()));
  koa.use(accessLog(createAccessLog(logger), () => '127.0.0.1'));
  koa.use(securityHeaders({ strictTransportSeconds: 60 }));
  koa.use(errorBoundary({ logger, describe: (code) => CODES[code] }));
  koa.use(hostGuard(createHostCheck(['127.0.0.1'])));
  koa.use(cors(createOriginCheck(['https://app.example']), ['GET']));
  koa.use(methodGuard(['GET']));
  koa.use(rateLimit(createMemoryRateLimiter({ points: 3, seconds: 60 }), () => 'all'));
  koa.use((ctx) => answer(ctx));
  return koa.callback();
}

describe('the guards as middlewares', () => {
  it('answers a known error as a problem with its code', async () => {
    const answer = await request(
      app(() => {
        throw new AppError('item_not_found', 'No such item.', { fields: { item: 'x' } });
      }),
    ).get('/things?secret=1');
    assert.equal(answer.status, 404);
    assert.equal(answer.type, 'application/problem+json');
    const { request_id: id, ...problem } = JSON.parse(answer.text) as Record<string, unknown>;
    assert.deepEqual(problem, {
      type: 'about:blank',
      status: 404,
      detail: 'No such item.',
      code: 'item_not_found',
      retryable: false,
      fields: { item: 'x' },
    });
    assert.equal(id, answer.headers['x-request-id']);
  });

  it('keeps everything about an unknown error to itself and logs it whole', async () => {
    const log: string[] = [];
    const answer = await request(
      app(() => {
        throw new Error('select * from keys at /srv/app.ts:1');
      }, log),
    ).get('/things');
    assert.equal(answer.status, 500);
    assert.doesNotMatch(answer.text, /select|srv/);
    assert.match(log.join(''), /select \* from keys/);
    assert.doesNotMatch(log.join(''), /secret=1/);
  });

  it('refuses foreign hosts, foreign origins and other methods, in that order', async () => {
    const callback = app((ctx) => {
      ctx.body = 'fine';
    });
    assert.equal(
      (await request(callback).delete('/').set('host', 'evil.example').set('origin', 'https://evil.example')).status,
      421,
    );
    assert.equal((await request(callback).delete('/').set('origin', 'https://evil.example')).status, 403);
    const method = await request(callback).delete('/');
    assert.equal(method.status, 405);
    assert.equal(method.headers['allow'], 'GET');
  });

  it('answers a preflight of an allowed origin only', async () => {
    const callback = app((ctx) => {
      ctx.body = 'fine';
    });
    const good = await request(callback)
      .options('/')
      .set('origin', 'https://app.example')
      .set('access-control-request-method', 'GET');
    assert.equal(good.status, 204);
    assert.equal(good.headers['access-control-allow-origin'], 'https://app.example');
    const bad = await request(callback)
      .options('/')
      .set('origin', 'https://evil.example')
      .set('access-control-request-method', 'GET');
    assert.equal(bad.status, 403);
    assert.equal(bad.headers['access-control-allow-origin'], undefined);
  });

  it('limits and says when to come back', async () => {
    const callback = app((ctx) => {
      ctx.body = 'fine';
    });
    const statuses: number[] = [];
    for (let use = 0; use < 4; use++) statuses.push((await request(callback).get('/')).status);
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    const refused = await request(callback).get('/');
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
  });

  it('puts security headers on every answer', async () => {
    const { headers } = await request(
      app((ctx) => {
        ctx.body = 'fine';
      }),
    ).get('/');
    assert.match(String(headers['content-security-policy']), /default-src 'none'/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['strict-transport-security'], 'max-age=60; includeSubDomains');
  });
});
