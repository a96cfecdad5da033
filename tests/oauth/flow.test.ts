import assert from 'node:assert/strict';
import { Browser, leftTo, pageOf } from './support/browser.ts';
import { consent, mcp, person, pkce, RawClient, signIn, tokensOf } from './support/client.ts';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

describe('OAuth flow', () => {
  let server: OAuthServer;
  before(async () => {
    server = await startOAuthServer();
  });
  after(() => server.stop());

  it('leads from a 401 over consent to a token, and from revocation to a 401 at once', async () => {
    const who = await person(server);
    const project = await server.services.projects.create({ accountId: who.account.id, name: 'Agent' });
    const client = await RawClient.register(server);
    assert.equal((await mcp(server, undefined)).status, 401);
    const tokens = await client.connect(who);
    assert.match(tokens.access_token, /^om_oauth_[A-Za-z0-9_-]{64}$/);
    assert.equal(tokens.expires_in, 3_600);
    assert.equal(tokens.scope, 'overmind:read');
    const listed = await mcp(server, tokens.access_token, 'tools/call', { name: 'list_projects', arguments: {} });
    assert.equal(listed.status, 200);
    assert.match(JSON.stringify(listed.body), new RegExp(project.id));
    assert.equal(await client.revoke(tokens.access_token), 200);
    assert.equal((await mcp(server, tokens.access_token)).status, 401);
  });

  it('shows who asks, for what and where it leads, and gives no code to a GET', async () => {
    const who = await person(server);
    const client = await RawClient.register(server);
    const browser = new Browser(server.origin);
    const proof = pkce();
    const visit = await browser.open(client.authorizeUrl(proof, { scope: 'overmind:read overmind:write' }));
    const page = pageOf(await signIn(browser, who, visit));
    for (const words of ['Test client', '127.0.0.1:53682', 'Read', 'Write', 'Cost', 'future projects', who.email])
      assert.ok(page.html.includes(words), words);
    const again = pageOf(await browser.open(page.url));
    assert.equal(again.status, 200);
    const left = leftTo(await browser.submit(page, { decision: 'connect' }));
    assert.equal(left.searchParams.get('state'), 'state-1');
    assert.equal(left.searchParams.get('iss'), server.origin);
    assert.equal((await client.exchange(left.searchParams.get('code') ?? '', proof)).status, 200);
  });

  it('answers a refusal with access_denied, the state and the issuer', async () => {
    const who = await person(server);
    const client = await RawClient.register(server);
    const left = await consent(server, who, client.authorizeUrl(pkce()), { decision: 'cancel' });
    assert.deepEqual(
      {
        error: left.searchParams.get('error'),
        state: left.searchParams.get('state'),
        iss: left.searchParams.get('iss'),
      },
      { error: 'access_denied', state: 'state-1', iss: server.origin },
    );
  });

  it('rotates refresh tokens and keeps the connection', async () => {
    const who = await person(server);
    const client = await RawClient.register(server);
    const first = await client.connect(who);
    const second = tokensOf(await client.refresh(first.refresh_token));
    assert.notEqual(second.refresh_token, first.refresh_token);
    assert.equal((await mcp(server, second.access_token)).status, 200);
    const third = tokensOf(await client.refresh(second.refresh_token));
    assert.equal((await mcp(server, third.access_token)).status, 200);
  });
});
