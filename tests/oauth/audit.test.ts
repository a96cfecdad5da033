import assert from 'node:assert/strict';
import type { Account } from '../../src/domain/identity/index.ts';
import { FakeClock } from '../support/fakes/clock.ts';
import { mcp, person, RawClient } from './support/client.ts';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

describe('The audit of connected agents', () => {
  const clock = new FakeClock();
  let server: OAuthServer;

  before(async () => {
    server = await startOAuthServer({ clock });
  });

  async function rowsOf({ id }: Account): Promise<readonly (readonly unknown[])[]> {
    await server.services.agentCalls.flush();
    const { calls } = await server.services.audit.list({ accountId: id }, { limit: 50 });
    return calls.map(({ kind, name, errorCode, credentialName, clientIp }) => {
      assert.equal(clientIp, '127.0.0.1');
      return [kind, name, errorCode ?? 'ok', credentialName];
    });
  }

  it('holds the calls that lacked a scope', async () => {
    const who = await person(server);
    const { access_token: token } = await (await RawClient.register(server)).connect(who);
    await mcp(server, token, 'tools/call', { name: 'list_projects', arguments: {} });
    const call = { name: 'create_dataset_from_traces', arguments: { name: 'a secret name' } };
    assert.equal((await mcp(server, token, 'tools/call', call)).status, 403);
    assert.equal((await mcp(server, token, 'tools/call', { name: 'no_such_tool' })).status, 200);
    const rows = await rowsOf(who.account);
    assert.deepEqual(
      rows.filter(([, name]) => name !== 'list_projects'),
      [
        ['tool', 'unknown', 'invalid_tool', 'Test client'],
        ['tool', 'create_dataset_from_traces', 'permission_denied', 'Test client'],
      ],
    );
    assert.deepEqual(rows.at(-1), ['tool', 'list_projects', 'ok', 'Test client']);
  });

  it('holds the calls with a token that was revoked or has expired, and none with a token nobody knows', async () => {
    const who = await person(server);
    const client = await RawClient.register(server);
    const [first, second] = [await client.connect(who), await client.connect(who)];
    assert.equal(await client.revoke(first.refresh_token), 200);
    clock.advance(3_600_001);
    for (const token of [first.access_token, second.access_token, `om_oauth_${'a'.repeat(64)}`])
      assert.equal((await mcp(server, token)).status, 401);
    const refused = ['request', 'authenticate', 'authentication_failed', 'Test client'];
    assert.deepEqual(await rowsOf(who.account), [refused, refused]);
  });

  it('holds a replayed refresh, which ended the connection, and refreshes after its end', async () => {
    const who = await person(server);
    const client = await RawClient.register(server);
    const { refresh_token: token } = await client.connect(who);
    assert.equal((await client.refresh(token)).status, 200);
    clock.advance(60_000);
    assert.equal((await client.refresh(token)).status, 400);
    clock.advance(1);
    assert.equal((await client.refresh(token)).status, 400);
    assert.deepEqual(await rowsOf(who.account), [
      ['oauth', 'refresh', 'authentication_failed', 'Test client'],
      ['oauth', 'refresh_replayed', 'authentication_failed', 'Test client'],
    ]);
  });

  it('holds the calls with a key that was revoked', async () => {
    const who = await person(server);
    const { apiKeys } = server.services;
    const { key, secret } = await apiKeys.create({
      accountId: who.account.id,
      name: 'old',
      permissions: { read: true, write: true },
    });
    await apiKeys.revoke(key.id);
    assert.equal((await mcp(server, secret)).status, 401);
    assert.deepEqual(await rowsOf(who.account), [['request', 'authenticate', 'authentication_failed', 'old']]);
  });
});
