import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Browser, leftTo, pageOf, type Visit } from './support/browser.ts';
import { mcp, person, pkce, postForm, RawClient, register, signIn, tokensOf, type Person } from './support/client.ts';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

const REGISTERED = ['http://127.0.0.1/callback', 'https://app.example.test/cb', 'cursor://editor/oauth/callback'];

const REDIRECTS: readonly (readonly [string | undefined, boolean])[] = [
  ['http://127.0.0.1/callback', true],
  ['http://127.0.0.1:49567/callback', true],
  ['https://app.example.test/cb', true],
  ['cursor://editor/oauth/callback', true],
  [undefined, false],
  ['', false],
  ['http://127.0.0.1:49567/other', false],
  ['http://127.0.0.1:49567/callback/', false],
  ['https://127.0.0.1/callback', false],
  ['http://localhost:49567/callback', false],
  ['http://[::1]:49567/callback', false],
  ['http://127.0.0.1.evil.test/callback', false],
  ['http://127.0.0.1:80@evil.test/callback', false],
  ['https://app.example.test.evil.test/cb', false],
  ['https://app.example.test/cb/../x', false],
  ['https://app.example.test/cb?x=1', false],
  ['https://app.example.test/CB', false],
  ['https://app.example.test/cb/', false],
  ['https://app.example.test/cb#x', false],
  ['https://app.example.test:8443/cb', false],
  ['https://app.example.test@evil.test/cb', false],
  ['http://app.example.test/cb', false],
  ['https://evil.test/cb', false],
  ['//evil.test/cb', false],
  ['javascript:alert(1)', false],
  ['cursor://editor/oauth/other', false],
  ['cursor:evil', false],
];

const VERIFIER = 'v'.repeat(50);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const PROOFS: readonly (readonly [string, Readonly<Record<string, string | undefined>>, boolean])[] = [
  ['S256', { code_challenge: CHALLENGE, code_challenge_method: 'S256' }, true],
  ['no proof at all', { code_challenge: undefined, code_challenge_method: undefined }, false],
  ['no method', { code_challenge: CHALLENGE, code_challenge_method: undefined }, false],
  ['plain', { code_challenge: VERIFIER, code_challenge_method: 'plain' }, false],
  ['a method in small letters', { code_challenge: CHALLENGE, code_challenge_method: 's256' }, false],
  ['a short challenge', { code_challenge: CHALLENGE.slice(1), code_challenge_method: 'S256' }, false],
  ['a long challenge', { code_challenge: 'a'.repeat(128), code_challenge_method: 'S256' }, false],
  ['a challenge with padding', { code_challenge: `${CHALLENGE}=`, code_challenge_method: 'S256' }, false],
  ['a challenge of other letters', { code_challenge: `${CHALLENGE.slice(1)}+`, code_challenge_method: 'S256' }, false],
];

/** Ways to ask that differ in one thing from a legal request; the second says which error the client is told. */
const TRICKS: readonly (readonly [string, string, string])[] = [
  ['no resource', 'resource=', 'invalid_target'],
  ['a foreign resource', 'resource=https://evil.test/api/mcp/', 'invalid_target'],
  ['the origin as resource', 'resource=ORIGIN', 'invalid_target'],
  ['a longer path', 'resource=ORIGIN/api/mcp/x', 'invalid_target'],
  ['two slashes', 'resource=ORIGIN/api/mcp//', 'invalid_target'],
  ['a query on the resource', 'resource=ORIGIN/api/mcp/?x=1', 'invalid_target'],
  ['a fragment on the resource', 'resource=ORIGIN/api/mcp/%23x', 'invalid_target'],
  ['capital letters in the path', 'resource=ORIGIN/API/mcp/', 'invalid_target'],
  ['an encoded path', 'resource=ORIGIN/api/%256dcp/', 'invalid_target'],
  ['no URI as resource', 'resource=mcp', 'invalid_target'],
  ['two resources', 'resource=ORIGIN/api/mcp/&resource=https://evil.test/', 'invalid_target'],
  ['one resource twice', 'resource=ORIGIN/api/mcp/&resource=ORIGIN/api/mcp/', 'invalid_target'],
  ['an unknown scope', 'scope=unknown', 'invalid_scope'],
  ['an unknown scope beside a known one', 'scope=overmind:read+overmind:admin', 'invalid_scope'],
  ['a finer scope of the contract', 'scope=overmind:data:write', 'invalid_scope'],
  ['a scope in capital letters', 'scope=OVERMIND:READ', 'invalid_scope'],
  ['a star as scope', 'scope=*', 'invalid_scope'],
  ['two scope parameters', 'scope=overmind:read&scope=overmind:write', 'invalid_request'],
  ['two states', 'state=a&state=b', 'invalid_request'],
  ['two challenges', `code_challenge=${CHALLENGE}&code_challenge=${CHALLENGE}`, 'invalid_request'],
  ['the implicit response type', 'response_type=token', 'invalid_request'],
  ['a hybrid response type', 'response_type=code+token', 'invalid_request'],
  ['an identity token', 'response_type=id_token', 'invalid_request'],
  ['a response in the fragment', 'response_mode=fragment', 'invalid_request'],
  ['a response as a form', 'response_mode=form_post', 'invalid_request'],
  ['a request object', 'request=eyJhbGciOiJub25lIn0.e30.', 'request_not_supported'],
  ['a request by address', 'request_uri=https://evil.test/r', 'request_uri_not_supported'],
  ['no question to the person', 'prompt=none', 'login_required'],
];

let checks = 0;

describe('OAuth negative plan', () => {
  let server: OAuthServer;
  let who: Person;
  let client: RawClient;
  let visits = 0;
  before(async () => {
    server = await startOAuthServer({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
    who = await person(server);
    const { body } = await register(server, { client_name: 'Plan', redirect_uris: REGISTERED });
    client = new RawClient(server, String(body['client_id']));
  });
  after(async () => {
    await server.stop();
    assert.ok(checks >= 120, `only ${checks} checks`);
  });

  /** From an address of its own, so that the limit of one address says nothing here. */
  const browser = () => new Browser(server.origin, `198.51.${Math.floor((visits += 1) / 250)}.${visits % 250}`);
  const url = (change: Readonly<Record<string, string | undefined>> = {}) =>
    client.authorizeUrl({ verifier: VERIFIER, challenge: CHALLENGE }, { redirect_uri: REGISTERED[0], ...change });
  const isAsked = (visit: Visit) =>
    'page' in visit && visit.page.status === 200 && visit.page.html.includes('name="password"');
  const codes = async () =>
    Number((await server.services.db('oauth_tokens').where({ client_id: client.id }).count('* as n').first())?.['n']);

  for (const [redirect, redirectIsLegal] of REDIRECTS)
    it(`${redirectIsLegal ? 'asks the person for' : 'never redirects to'} ${redirect === undefined ? 'no address' : JSON.stringify(redirect)}, proof by proof`, async () => {
      for (const [name, proof, proofIsLegal] of PROOFS) {
        checks += 1;
        const visit = await browser().open(url({ ...proof, redirect_uri: redirect }));
        if (redirectIsLegal && proofIsLegal) assert.ok(isAsked(visit), name);
        else if (redirectIsLegal) {
          const left = leftTo(visit);
          assert.equal(left.searchParams.get('error'), 'invalid_request', `${name}: ${left.href}`);
          assert.equal(left.searchParams.get('iss'), server.origin);
          assert.equal(left.searchParams.get('code'), null);
        } else {
          const page = pageOf(visit);
          assert.equal(page.status, 400, name);
          assert.match(page.html, /Start again from the client/);
        }
      }
      assert.equal(await codes(), 0);
    });

  it('tells the client what is wrong with a request that differs in one thing', async () => {
    for (const [name, change, error] of TRICKS) {
      checks += 1;
      const request = url();
      const parameters = new URLSearchParams(change.replaceAll('ORIGIN', server.origin));
      for (const key of new Set(parameters.keys())) request.searchParams.delete(key);
      for (const [key, value] of parameters) if (value !== '') request.searchParams.append(key, value);
      const visit = await browser().open(request);
      if ('page' in visit) assert.equal(visit.page.status, 400, `${name}: ${visit.page.html}`);
      else {
        // An error of a response type that answers in the fragment stands there.
        const told = visit.left.hash === '' ? visit.left.searchParams : new URLSearchParams(visit.left.hash.slice(1));
        assert.deepEqual([told.get('error'), told.get('iss'), told.get('code')], [error, server.origin, null], name);
      }
    }
    assert.equal(await codes(), 0);
  });

  it('shows an error page for a client that nobody registered, and asks nobody', async () => {
    const other = ['omc_unknown', '', "' or 1=1 --", 'a\u0000b', 'https://', 'x'.repeat(3_000)];
    for (const id of other) {
      checks += 1;
      assert.equal(pageOf(await browser().open(url({ client_id: id }))).status, 400, id);
    }
  });

  it('keeps a code through every wrong exchange, gives tokens once, and ends them when the code comes again', async () => {
    const proof = pkce();
    const code = await codeOf(proof.challenge);
    const stranger = await RawClient.register(server);
    const right = {
      grant_type: 'authorization_code',
      client_id: client.id,
      code,
      code_verifier: proof.verifier,
      redirect_uri: REGISTERED[0],
      resource: server.resource,
    };
    const wrong: readonly Readonly<Record<string, string | undefined>>[] = [
      { code_verifier: pkce().verifier },
      { code_verifier: undefined },
      { code_verifier: '' },
      { code_verifier: proof.challenge },
      { code_verifier: proof.verifier.slice(1) },
      { code_verifier: `${proof.verifier}=` },
      { redirect_uri: REGISTERED[1] },
      { redirect_uri: undefined },
      { redirect_uri: 'http://127.0.0.1:49567/callback' },
      { redirect_uri: `${REGISTERED[0] ?? ''}/` },
      { resource: undefined },
      { resource: 'https://evil.test/' },
      { resource: `${server.resource}x` },
      { resource: server.origin },
      { client_id: stranger.id },
      { client_id: 'omc_unknown' },
      { client_id: undefined },
      { code: code.slice(1) },
      { code: `${code}a` },
      { code: undefined },
      { grant_type: 'refresh_token', refresh_token: code },
      { grant_type: 'client_credentials' },
      { grant_type: 'password' },
      { grant_type: undefined },
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' },
    ];
    for (const change of wrong) {
      checks += 1;
      const { status, body } = await postForm(server, '/oauth/token', { ...right, ...change });
      assert.ok(status === 400 || status === 401, `${JSON.stringify(change)} gave ${status}`);
      assert.ok(!('access_token' in body));
    }
    const doubled = new URLSearchParams({ ...right, redirect_uri: REGISTERED[0] ?? '' });
    for (const name of ['code', 'resource', 'code_verifier', 'redirect_uri', 'client_id']) {
      checks += 1;
      const form = new URLSearchParams(doubled);
      form.append(name, doubled.get(name) ?? '');
      assert.equal((await postForm(server, '/oauth/token', form)).status, 400, name);
    }
    const tokens = tokensOf(await postForm(server, '/oauth/token', right));
    assert.equal((await mcp(server, tokens.access_token)).status, 200);
    checks += 1;
    const replay = await postForm(server, '/oauth/token', right);
    assert.deepEqual([replay.status, replay.body['error']], [400, 'invalid_grant']);
    assert.equal((await mcp(server, tokens.access_token)).status, 401);
    assert.equal((await client.refresh(tokens.refresh_token)).status, 400);
  });

  it('takes the resource with and without its last slash, in any mix', async () => {
    const plain = server.resource.replace(/\/$/, '');
    for (const asked of [plain, server.resource])
      for (const traded of [plain, server.resource]) {
        const proof = pkce();
        const code = await codeOf(proof.challenge, { resource: asked });
        const tokens = tokensOf(await client.exchange(code, proof, { redirect_uri: REGISTERED[0], resource: traded }));
        assert.equal((await mcp(server, tokens.access_token, 'tools/list', {}, '/api/mcp')).status, 200);
      }
  });

  it('gives the least scope to whoever names none, and forgives what belongs to OpenID', async () => {
    for (const scope of [undefined, '', 'openid', 'offline_access openid']) {
      const proof = pkce();
      const code = await codeOf(proof.challenge, { scope, nonce: 'n', max_age: '0', prompt: 'consent' });
      const tokens = tokensOf(await client.exchange(code, proof, { redirect_uri: REGISTERED[0] }));
      assert.equal(tokens.scope, 'overmind:read');
    }
  });

  async function codeOf(challenge: string, change: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
    const window = browser();
    const page = pageOf(await signIn(window, who, await window.open(url({ code_challenge: challenge, ...change }))));
    return leftTo(await window.submit(page, { decision: 'connect' })).searchParams.get('code') ?? '';
  }
});
