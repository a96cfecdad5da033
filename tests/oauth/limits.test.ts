import assert from 'node:assert/strict';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

/** What one address may ask in a minute, and what such a request is answered within the limit. */
const LIMITS = [
  { path: '/oauth/register', method: 'POST', most: 30, within: 415 },
  { path: '/oauth/authorize', method: 'GET', most: 60, within: 400 },
  { path: '/oauth/token', method: 'POST', most: 120, within: 415 },
  { path: '/oauth/revoke', method: 'POST', most: 120, within: 415 },
] as const;

describe('The limits of OAuth', () => {
  let server: OAuthServer;
  before(async () => {
    server = await startOAuthServer();
  });

  for (const { path, method, most, within } of LIMITS) {
    it(`lets one address ask ${path} ${most} times a minute and not once more, whatever it says of itself`, async () => {
      const statuses: number[] = [];
      let last: Response | undefined;
      for (let count = 0; count < most + 2; count += 1) {
        last = await fetch(`${server.origin}${path}`, {
          method,
          headers: { 'x-forwarded-for': `192.0.2.${count}`, forwarded: `for=192.0.2.${count}` },
        });
        await last.arrayBuffer();
        statuses.push(last.status);
      }
      assert.deepEqual(statuses, [...Array.from({ length: most }, () => within), 429, 429]);
      const wait = Number(last?.headers.get('retry-after'));
      assert.ok(wait > 0 && wait <= 60, String(wait));
    });
  }

  it('count each address behind a trusted proxy for itself', async () => {
    const proxied = await startOAuthServer({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
    const ask = async (address: string): Promise<number> => {
      const response = await fetch(`${proxied.origin}/oauth/register`, {
        method: 'POST',
        headers: { 'x-forwarded-for': address },
      });
      await response.arrayBuffer();
      return response.status;
    };
    for (let count = 0; count < 30; count += 1) await ask('192.0.2.1');
    // What stands left of the address the proxy saw is only what that address claims.
    assert.deepEqual(
      [await ask('192.0.2.1'), await ask('198.51.100.1, 192.0.2.1'), await ask('192.0.2.2')],
      [429, 429, 415],
    );
  });
});
