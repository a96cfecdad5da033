import assert from 'node:assert/strict';
import { register } from './support/client.ts';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

const ACCEPTED = [
  'http://127.0.0.1:33418',
  'http://127.0.0.1/callback',
  'http://localhost:3000/cb',
  'http://[::1]:9/cb',
  'https://app.example.test/cb',
  'https://app.example.test/cb?tenant=1',
  'cursor://anysphere.cursor-retrieval/oauth/user/callback',
  'com.example.app:/callback',
];
const REFUSED: readonly unknown[] = [
  'http://app.example.test/cb',
  'http://127.0.0.1.evil.test/cb',
  'http://localhost.evil.test/cb',
  'http://127.0.0.2/cb',
  'http://0.0.0.0/cb',
  'https://app.example.test/cb#part',
  'https://app.example.test/cb#',
  'https://user@app.example.test/cb',
  'https://user:pass@app.example.test/cb',
  'https://*.example.test/cb',
  'https://app.example.test/*',
  'https://app.example.test/a/../b',
  'https://app.example.test/a/%2e%2e/b',
  'https://app.example.test\\@evil.test/cb',
  'https:app.example.test/cb',
  'https:///cb',
  ' https://app.example.test/cb',
  'https://app.example.test/c b',
  'https://app.example.test/cb\n',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'data:text/html,hi',
  'file:///etc/passwd',
  'vbscript:x',
  'blob:https://app.example.test/1',
  'about:blank',
  'ftp://app.example.test/',
  'ws://127.0.0.1/cb',
  'mailto:a@example.test',
  '/cb',
  'callback',
  '',
  42,
  null,
  `https://app.example.test/${'a'.repeat(2_100)}`,
];

describe('OAuth registration', () => {
  let server: OAuthServer;
  before(async () => {
    server = await startOAuthServer();
  });
  after(() => server.stop());
  // The limit is 30 a minute for one address, and these tests are about something else.
  beforeEach(async () => {
    await server.stop();
    server = await startOAuthServer();
  });

  for (const half of [0, 1, 2])
    it(`takes redirect addresses literally or not at all, part ${half + 1}`, async () => {
      const all = [...ACCEPTED.map((uri) => [uri, 201] as const), ...REFUSED.map((uri) => [uri, 400] as const)];
      for (const [uri, status] of all.filter((_, index) => index % 3 === half)) {
        const answer = await register(server, { redirect_uris: [uri] });
        assert.equal(answer.status, status, `${String(uri)}: ${JSON.stringify(answer.body)}`);
        if (status === 400) assert.equal(answer.body['error'], 'invalid_redirect_uri');
      }
    });

  it('registers a public client for whoever does not say which kind it is', async () => {
    const { status, body } = await register(server, { redirect_uris: ['http://127.0.0.1:33418'], client_name: 't' });
    assert.equal(status, 201);
    assert.equal(body['token_endpoint_auth_method'], 'none');
    assert.ok(!('client_secret' in body));
    assert.ok(!('registration_access_token' in body));
  });

  it('replaces what it does not offer and says what it registered', async () => {
    const { status, body } = await register(server, {
      client_name: 'A\u0000\u202e <b>client</b>\n\n',
      redirect_uris: ['https://app.example.test/cb', 'https://app.example.test/cb'],
      token_endpoint_auth_method: 'client_secret_post',
      application_type: 'web',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'authorization_code', 'implicit'],
      response_types: ['token', 'code'],
      scope: 'openid profile email something',
      client_secret: 'mine',
      jwks_uri: 'http://169.254.169.254/',
      sector_identifier_uri: 'http://169.254.169.254/',
      logo_uri: 'javascript:alert(1)',
      client_uri: 'https://app.example.test/',
      default_max_age: 'x',
      require_pushed_authorization_requests: true,
    });
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body['token_endpoint_auth_method'], 'none');
    assert.deepEqual(body['grant_types'], ['authorization_code', 'refresh_token']);
    assert.deepEqual(body['response_types'], ['code']);
    assert.deepEqual(body['redirect_uris'], ['https://app.example.test/cb']);
    assert.equal(body['client_name'], 'A <b>client</b>');
    for (const name of ['client_secret', 'jwks_uri', 'sector_identifier_uri', 'logo_uri', 'default_max_age'])
      assert.ok(!(name in body), name);
  });

  it('refuses what is no registration', async () => {
    for (const body of [
      [],
      'text',
      1,
      null,
      {},
      { redirect_uris: [] },
      { redirect_uris: 'https://a.test/' },
      { redirect_uris: Array.from({ length: 11 }, (_, n) => `https://a.test/${n}`) },
    ]) {
      const answer = await register(server, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.match(String(answer.body['error']), /^invalid_(client_metadata|redirect_uri)$/);
    }
    const send = (type: string, body: string) =>
      fetch(`${server.origin}/oauth/register`, { method: 'POST', headers: { 'content-type': type }, body });
    assert.equal((await send('application/json', '{"redirect_uris":')).status, 400);
    assert.equal((await send('text/plain', '{}')).status, 415);
    assert.equal((await send('application/json', `{"x":"${'a'.repeat(17_000)}"}`)).status, 413);
    assert.equal((await fetch(`${server.origin}/oauth/register`)).status, 405);
  });
});
