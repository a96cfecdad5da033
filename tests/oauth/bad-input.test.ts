import assert from 'node:assert/strict';
import { request } from 'node:http';
import { endpoints } from '../../generated/rest/endpoints.ts';
import { surfaces } from '../../generated/rest/surfaces.ts';
import { newId } from '../../src/kernel/ids.ts';
import { Browser, pageOf } from './support/browser.ts';
import { person, pkce, RawClient, signIn } from './support/client.ts';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

const FORM = 'application/x-www-form-urlencoded';
const POSTED = [
  ['/oauth/register', 'application/json'],
  ['/oauth/token', FORM],
  ['/oauth/revoke', FORM],
  ['/oauth/authorize', FORM],
] as const;

describe('OAuth and what nobody should send', () => {
  let server: OAuthServer;
  before(async () => {
    server = await startOAuthServer();
  });

  const send = (path: string, type: string, body: string | Uint8Array): Promise<Response> =>
    fetch(`${server.origin}${path}`, { method: 'POST', headers: { 'content-type': type }, body });

  it('reads no body beyond its bound, told or not told', async () => {
    const large = `a=${'x'.repeat(20_000)}`;
    for (const [path, type] of POSTED) {
      assert.equal((await send(path, type, large)).status, 413, path);
      assert.equal(await sendChunked(path, type), 413, path);
    }
  });

  it('reads no body of another type, packed, or with U+0000 in it', async () => {
    for (const [path, type] of POSTED) {
      const { status } = await send(path, 'text/plain', 'a=b');
      assert.ok([400, 415].includes(status), `${path} answers ${status}`);
      assert.equal((await send(path, type, 'a=%00')).status, 400, path);
      assert.equal((await send(path, type, new Uint8Array([0xff, 0xfe, 0x00]))).status, 400, path);
    }
  });

  it('takes no decision that is too large, of another type, or doubled', async () => {
    const who = await person(server);
    const browser = new Browser(server.origin);
    const client = await RawClient.register(server);
    const page = pageOf(await signIn(browser, who, await browser.open(client.authorizeUrl(pkce()))));
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? '';
    const own = { origin: server.origin, 'sec-fetch-site': 'same-origin' };
    const decide = (more: Readonly<Record<string, string>>) =>
      new URLSearchParams({ decision: 'connect', csrf, ...more });
    const large = await browser.post(page.url, decide({ filler: 'x'.repeat(20_000) }), own);
    assert.equal(pageOf(large).status, 413);
    const typed = await browser.post(page.url, decide({}), { ...own, 'content-type': 'text/plain' });
    assert.equal(pageOf(typed).status, 400);
    const doubled = decide({});
    doubled.append('decision', 'cancel');
    assert.equal(pageOf(await browser.post(page.url, doubled, own)).status, 400);
    const codes = await server.services.db('oauth_tokens').where({ client_id: client.id });
    assert.deepEqual(codes, []);
  });

  it('answers nobody who names another host', async () => {
    for (const { path } of Object.values(surfaces.oauth))
      assert.equal(await statusOnHost(path.replace('{interaction}', 'x'.repeat(24)), 'evil.example'), 421, path);
  });

  it('answers other methods with what it takes', async () => {
    for (const { path, kind, method } of Object.values(surfaces.oauth)) {
      const address = `${server.origin}${path.replace('{interaction}', 'x'.repeat(24))}`;
      for (const other of ['PUT', 'DELETE', 'PATCH', ...(method === 'POST' ? ['GET'] : [])]) {
        const response = await fetch(address, { method: other });
        assert.ok([404, 405].includes(response.status), `${kind} ${other} ${path} answers ${response.status}`);
      }
    }
  });

  it('opens no REST endpoint to an access token, not even to one with every scope', async () => {
    const who = await person(server);
    const tokens = await (await RawClient.register(server)).connect(who, 'overmind:read overmind:write');
    const guarded = endpoints.filter(({ auth }) => auth !== 'none');
    assert.ok(guarded.length > 15);
    for (const { name, path, method, request: body } of guarded) {
      const response = await fetch(`${server.origin}${path.replaceAll(/\{\w+\}/g, () => newId())}`, {
        method,
        headers: {
          authorization: `Bearer ${tokens.access_token}`,
          'content-type': body?.contentTypes[0] ?? 'application/json',
        },
        ...(body !== undefined && { body: '{"name":"x"}' }),
      });
      assert.equal(response.status, 401, name);
      const challenge = response.headers.get('www-authenticate');
      assert.ok(challenge === null || challenge.startsWith('ApiKey '), `${name}: ${challenge ?? ''}`);
    }
  });

  it('keeps sign-in cookies away from the MCP endpoint', async () => {
    const who = await person(server);
    const { sessions } = server.services;
    const { token } = await sessions.issueLink(who.account.id, 'reset');
    const opened = await sessions.redeemLink(
      token,
      { password: 'another long password' },
      { clientIp: '::1', userAgent: undefined },
    );
    const response = await fetch(`${server.origin}/api/mcp/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `overmind_session=${opened.token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    assert.equal(response.status, 401);
  });

  function sendChunked(path: string, type: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': type, 'transfer-encoding': 'chunked' };
      const outgoing = request(`${server.origin}${path}`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      outgoing.on('error', reject);
      for (let part = 0; part < 20; part += 1) outgoing.write(`a${part}=${'x'.repeat(1_024)}&`);
      outgoing.end();
    });
  }

  function statusOnHost(path: string, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const outgoing = request(`${server.origin}${path}`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }
});
