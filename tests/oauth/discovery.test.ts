import assert from 'node:assert/strict';
import { startServer } from '../support/mcp.ts';
import { mcp, person, postForm, readJson, RawClient, register } from './support/client.ts';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

const PATHS = {
  root: '/.well-known/oauth-protected-resource',
  plain: '/.well-known/oauth-protected-resource/api/mcp',
  slash: '/.well-known/oauth-protected-resource/api/mcp/',
};

/** A challenge as RFC 9110 writes it: a scheme and quoted parameters. */
function parseChallenge(header: string | null): { scheme: string; parameters: Record<string, string> } {
  const match = /^([A-Za-z]+) ((?:[a-z_]+="[^"]*")(?:, [a-z_]+="[^"]*")*)$/.exec(header ?? '');
  assert.ok(match !== null, `not a challenge: ${String(header)}`);
  const parameters = [...(match[2] ?? '').matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  return { scheme: match[1] ?? '', parameters: Object.fromEntries(parameters) };
}

describe('OAuth discovery', () => {
  let server: OAuthServer;
  before(async () => {
    server = await startOAuthServer({ environment: { OPENAI_APPS_CHALLENGE: 'proof-of-address' } });
  });
  after(() => server.stop());
  const get = async (path: string, headers: Record<string, string> = {}) =>
    readJson(await fetch(`${server.origin}${path}`, { headers }));

  it('describes the resource in the spelling that was asked for', async () => {
    const plain = server.resource.replace(/\/$/, '');
    for (const [path, resource] of [
      [PATHS.root, plain],
      [PATHS.plain, plain],
      [PATHS.slash, server.resource],
    ] as const) {
      const { status, body } = await get(path);
      assert.equal(status, 200);
      assert.equal(body['resource'], resource);
      assert.deepEqual(body['authorization_servers'], [server.origin]);
      assert.deepEqual(body['scopes_supported'], ['overmind:read', 'overmind:write']);
    }
  });

  it('describes the authorization server with its issuer as the bare origin', async () => {
    const { status, body } = await get('/.well-known/oauth-authorization-server');
    assert.equal(status, 200);
    assert.equal(body['issuer'], server.origin);
    assert.deepEqual(body['code_challenge_methods_supported'], ['S256']);
    assert.deepEqual(body['token_endpoint_auth_methods_supported'], ['none']);
    assert.deepEqual(body['grant_types_supported'], ['authorization_code', 'refresh_token']);
    assert.equal(body['authorization_response_iss_parameter_supported'], true);
    assert.equal(body['client_id_metadata_document_supported'], true);
    const keys = await get('/oauth/jwks');
    assert.ok(!JSON.stringify(keys.body).includes('"d":'), 'a private key is published');
  });

  it('answers pages of any origin at the programs’ endpoints', async () => {
    const origin = 'https://inspector.example.com';
    for (const path of ['/oauth/register', '/oauth/token', '/oauth/revoke']) {
      const headers = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      };
      const preflight = await fetch(`${server.origin}${path}`, { method: 'OPTIONS', headers });
      assert.equal(preflight.status, 204, path);
      assert.ok(['*', origin].includes(preflight.headers.get('access-control-allow-origin') ?? ''), path);
      const answer = await fetch(`${server.origin}${path}`, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({ a: 'b' }),
      });
      assert.ok(
        ['*', origin].includes(answer.headers.get('access-control-allow-origin') ?? ''),
        `${path} ${answer.status}`,
      );
    }
    for (const path of [...Object.values(PATHS), '/.well-known/oauth-authorization-server'])
      assert.equal((await get(path, { origin })).headers.get('access-control-allow-origin'), '*', path);
  });

  it('challenges with an address that answers, in the spelling of the request', async () => {
    for (const [path, metadata] of [
      ['/api/mcp', PATHS.plain],
      ['/api/mcp/', PATHS.slash],
    ] as const) {
      const { status, challenge } = await mcp(server, undefined, 'tools/list', {}, path);
      assert.equal(status, 401);
      const { scheme, parameters } = parseChallenge(challenge);
      assert.equal(scheme, 'Bearer');
      assert.deepEqual(parameters, { resource_metadata: `${server.origin}${metadata}`, scope: 'overmind:read' });
      assert.equal((await get(metadata)).status, 200);
    }
  });

  it('says invalid_token when a token was sent, whatever it was', async () => {
    for (const token of [`om_oauth_${'A'.repeat(64)}`, 'om_oauth_short', 'something', `ovr_${'A'.repeat(43)}`]) {
      const { status, challenge } = await mcp(server, token);
      assert.equal(status, 401);
      assert.equal(parseChallenge(challenge).parameters['error'], 'invalid_token');
    }
  });

  it('keeps a client with an API key header on API keys', async () => {
    const response = await fetch(`${server.origin}/api/mcp/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': `ovr_${'A'.repeat(43)}` },
      body: '{}',
    });
    assert.equal(response.status, 401);
    assert.match(response.headers.get('www-authenticate') ?? '', /^ApiKey /);
  });

  it('takes an API key as a bearer token', async () => {
    const who = await person(server);
    const { secret } = await server.services.apiKeys.create({
      accountId: who.account.id,
      name: 'key',
      permissions: { read: true, write: true },
    });
    assert.equal((await mcp(server, secret)).status, 200);
  });

  it('asks for the least set of scopes with a 403 when a scope is missing', async () => {
    const who = await person(server);
    const client = await RawClient.register(server);
    const tokens = await client.connect(who);
    const call = { name: 'create_dataset_from_traces', arguments: {} };
    const { status, challenge, body } = await mcp(server, tokens.access_token, 'tools/call', call);
    assert.equal(status, 403);
    const { parameters } = parseChallenge(challenge);
    assert.equal(parameters['error'], 'insufficient_scope');
    assert.equal(parameters['scope'], 'overmind:read overmind:write');
    assert.equal(parameters['resource_metadata'], `${server.origin}${PATHS.slash}`);
    assert.match(JSON.stringify(body), /permission_denied/);
    const wider = await client.connect(who, parameters['scope']);
    assert.equal((await mcp(server, wider.access_token, 'tools/call', call)).status, 200);
  });

  it('lists what more consent would open, so that a client can get as far as asking for it', async () => {
    const who = await person(server);
    const tokens = await (await RawClient.register(server)).connect(who);
    const { secret } = await server.services.apiKeys.create({
      accountId: who.account.id,
      name: 'reader',
      permissions: { read: true, write: false },
    });
    assert.match(JSON.stringify((await mcp(server, tokens.access_token)).body), /create_dataset_from_traces/);
    assert.doesNotMatch(JSON.stringify((await mcp(server, secret)).body), /"create_dataset_from_traces"/);
  });

  it('refuses access tokens everywhere but at the MCP endpoint', async () => {
    const who = await person(server);
    const tokens = await (await RawClient.register(server)).connect(who, 'overmind:read overmind:write');
    const response = await fetch(`${server.origin}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.access_token}` },
      body: '{"resourceSpans":[]}',
    });
    assert.equal(response.status, 401);
    assert.doesNotMatch(response.headers.get('www-authenticate') ?? '', /Bearer/);
  });

  it('proves the address to an app directory', async () => {
    const { status, body } = await get('/.well-known/openai-apps-challenge');
    assert.deepEqual({ status, text: body['text'] }, { status: 200, text: 'proof-of-address' });
  });

  it('has no trace of OAuth without a public address', async () => {
    const off = await startServer();
    for (const path of [
      ...Object.values(PATHS),
      '/.well-known/oauth-authorization-server',
      '/.well-known/openai-apps-challenge',
      '/oauth/jwks',
      '/oauth/authorize',
    ])
      assert.equal((await fetch(`${off.origin}${path}`)).status, 404, path);
    const bare = { ...off, resource: `${off.origin}/api/mcp/` };
    for (const token of [undefined, `om_oauth_${'A'.repeat(64)}`]) {
      const answer = await mcp(bare, token);
      assert.equal(answer.status, 401);
      assert.doesNotMatch(answer.challenge ?? '', /Bearer/);
    }
    assert.equal((await postForm(bare, '/oauth/token', { grant_type: 'refresh_token' })).status, 404);
    await off.stop();
  });

  it('limits registrations per address', async () => {
    const limited = await startOAuthServer();
    const statuses: number[] = [];
    for (let count = 0; count < 32; count += 1) statuses.push((await register(limited, {})).status);
    assert.deepEqual(
      statuses.slice(0, 30).every((status) => status === 400),
      true,
    );
    const last = await register(limited, {});
    assert.equal(last.status, 429);
    assert.ok(Number(last.headers.get('retry-after')) > 0);
    await limited.stop();
  });
});
