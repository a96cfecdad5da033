import assert from 'node:assert/strict';
import Koa from 'koa';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { otlpJson } from '../../src/domain/observability/index.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { IngestLoad } from '../../src/rest/otlp-load.ts';
import { otlpSurface } from '../../src/rest/otlp-surface.ts';
import { eventually } from '../support/eventually.ts';

const LIMITS = { maxRequests: 2, maxBytes: 100, maxWriters: 1 };

/** A door that can be opened from outside. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

async function serve(work: () => Promise<void>): Promise<{ server: Server; url: string }> {
  const koa = new Koa();
  const describe = (code: string) => ({ http: code === 'unavailable' ? 503 : 500 });
  koa.use(otlpSurface({ path: '/v1/traces', codecs: [otlpJson], load: new IngestLoad(LIMITS), describe }));
  koa.use(async (ctx) => {
    await work();
    ctx.body = '{}';
  });
  const answer = koa.callback();
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // because a server that listens on a port has an address with one
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` };
}

describe('ingest under load', () => {
  it('refuses what is over its bound with 429 and a time to come again, and takes more once there is room', async () => {
    const held = gate();
    let entered = 0;
    const { server, url } = await serve(() => {
      entered += 1;
      return held.opened;
    });
    const send = () => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    const both = [send(), send()];
    await eventually(() => assert.equal(entered, 2));
    const refused = await send();
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal(refused.headers.get('content-type'), 'application/json');
    assert.deepEqual(await refused.json(), { code: 8, message: 'Too many requests. Try again in 1 s.' });
    held.open();
    assert.deepEqual(
      (await Promise.all(both)).map((response) => response.status),
      [200, 200],
    );
    assert.equal((await send()).status, 200);
    server.close();
  });

  it('tells exporters to come again when the store is not there', async () => {
    const { server, url } = await serve(() => Promise.reject(new AppError('unavailable', 'Try again.')));
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1']);
    assert.deepEqual(await response.json(), { code: 14, message: 'Try again.' });
    server.close();
  });
});

describe('IngestLoad', () => {
  it('lets one writer in at a time, in order, and the next in when one fails', async () => {
    const load = new IngestLoad(LIMITS);
    const order: string[] = [];
    const held = gate();
    const first = load.carry(10, async () => {
      await held.opened;
      order.push('first');
      throw new Error('lost');
    });
    const second = load.carry(10, async () => void order.push('second'));
    held.open();
    await assert.rejects(first, /lost/);
    await second;
    assert.deepEqual(order, ['first', 'second']);
  });

  it('counts bytes, but never refuses an export that is alone', async () => {
    const load = new IngestLoad(LIMITS);
    const held = gate();
    const big = load.carry(1_000, () => held.opened);
    await assert.rejects(
      load.carry(1, async () => undefined),
      { code: 'rate_limited' },
    );
    held.open();
    await big;
    await load.carry(100, async () => undefined);
  });
});
