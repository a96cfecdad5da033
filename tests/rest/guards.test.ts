import assert from 'node:assert/strict';
import { request } from 'node:http';
import { endpoints } from '../../generated/rest/endpoints.ts';
import { newId } from '../../src/kernel/ids.ts';
import { given, type Caller } from '../support/given.ts';
import { startServer, type TestServer } from '../support/mcp.ts';
import { signIn, type SignedIn } from './support/person.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly problem: Readonly<Record<string, unknown>>;
}

type Endpoint = (typeof endpoints)[number];

const guarded = endpoints.filter(({ auth }) => auth !== 'none');
const forKeys = guarded.filter(({ auth }) => auth !== 'session');
const forPeople = guarded.filter(({ auth }) => auth !== 'api_key');
const withJson = guarded.filter(
  ({ name, request: body }) => body?.contentTypes[0] === 'application/json' && name !== 'ingest_traces',
);
const changing = forPeople.filter(({ method }) => method !== 'GET');

/** A well-formed request of every operation; ids lead nowhere unless they are given. */
function requestOf(
  endpoint: Endpoint,
  ids: Readonly<Record<string, string>> = {},
): { path: string; init: RequestInit } {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? newId());
  const method = { method: endpoint.method };
  if (endpoint.request === undefined) return { path, init: method };
  const type = endpoint.request.contentTypes[0] ?? '';
  const headers = { 'content-type': type };
  if (type !== 'application/json') return { path: `${path}?offset=0`, init: { ...method, body: 'abc', headers } };
  return { path, init: { ...method, body: JSON.stringify(BODIES[endpoint.name] ?? NAMED), headers } };
}

const NAMED = { name: 'Test' };
const BODIES: Readonly<Record<string, object>> = {
  add_member: { email: 'a@example.com' },
  ingest_traces: {},
  begin_upload: { file_name: 'a.csv', size_bytes: 3 },
  create_dataset: { name: 'Test', uploads: [newId()] },
};

describe('Every REST endpoint', () => {
  let server: TestServer;
  let person: SignedIn;
  let caller: Caller;
  let addresses = 0;

  before(async () => {
    // Each case comes from an address of its own, so that no case meets the limit of another.
    server = await startServer({ environment: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_REQUESTS: '0' } });
    person = await signIn(server);
    caller = await given.account({ server });
  });

  async function send(path: string, init: RequestInit, more: Record<string, string> = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    headers.set('x-forwarded-for', `198.51.100.${(addresses += 1) % 250}`);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    const response = await fetch(`${server.origin}${path}`, { ...init, headers });
    const text = await response.text();
    const isProblem = response.headers.get('content-type') === 'application/problem+json';
    return { status: response.status, headers: response.headers, problem: isProblem ? JSON.parse(text) : {} };
  }

  async function every(
    list: readonly Endpoint[],
    more: Record<string, string>,
    check: (answer: Answer, endpoint: Endpoint) => void,
  ): Promise<void> {
    assert.ok(list.length > 0);
    for (const endpoint of list) {
      const { path, init } = requestOf(endpoint);
      check(await send(path, init, more), endpoint);
    }
  }

  it('asks for a credential, and names the header only where a key would do', async () => {
    await every(guarded, {}, ({ status, headers, problem }, { name, auth }) => {
      assert.equal(status, 401, name);
      if (name === 'ingest_traces') return;
      assert.equal(problem['code'], 'authentication_required', name);
      const challenge = auth === 'session' ? null : 'ApiKey realm="overmind", header="X-Api-Key"';
      assert.equal(headers.get('www-authenticate'), challenge, name);
    });
  });

  it('refuses keys that are tampered with, revoked, expired, from elsewhere, or of someone who was deactivated', async () => {
    const { apiKeys, accounts } = server.services;
    const made = (options: object) =>
      apiKeys.create({
        accountId: caller.account.id,
        name: 'bad',
        permissions: { read: true, write: true },
        ...options,
      });
    const revoked = await made({});
    await apiKeys.revoke(revoked.key.id);
    const gone = await given.account({ server });
    await accounts.setActive(gone.account.id, false);
    const expired = await made({ expiresAt: new Date(server.services.clock.now().getTime() + 1) });
    const elsewhere = await made({ allowedIps: ['203.0.113.7'] });
    const tampered = caller.key.slice(0, -1) + (caller.key.endsWith('A') ? 'B' : 'A');
    const cases: readonly (readonly [string, number])[] = [
      [tampered, 401],
      [revoked.secret, 401],
      [expired.secret, 401],
      [gone.key, 401],
      [elsewhere.secret, 403],
      ['ovr_', 401],
      [`om_oauth_${'a'.repeat(64)}`, 401],
      ['x'.repeat(5_000), 401],
    ];
    for (const [key, wanted] of cases) {
      await every(forKeys, { 'x-api-key': key }, ({ status, headers }, { name }) => {
        assert.equal(status, wanted, `${name} with ${key.slice(0, 12)}`);
        assert.ok(!/bearer/i.test(headers.get('www-authenticate') ?? ''), name);
      });
    }
    await every(
      forKeys,
      { 'x-api-key': elsewhere.secret, forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7' },
      ({ status }) => assert.equal(status, 403),
    );
  });

  it('refuses what the credential was not given', async () => {
    const reader = await given.account({ server, permissions: { read: true, write: false } });
    const writer = await given.account({ server, permissions: { read: false, write: true } });
    await every(forKeys, {}, () => undefined);
    for (const [holder, lacking] of [
      [reader, 'write'],
      [writer, 'read'],
    ] as const) {
      const list = forKeys.filter(({ permission }) => permission === lacking);
      await every(list, { 'x-api-key': holder.key }, ({ status }, { name }) => assert.equal(status, 403, name));
    }
  });

  it('takes no change from a cookie without the token of its session, nor from a foreign page', async () => {
    const other = await signIn(server);
    const own = { cookie: person.cookie, origin: server.origin, 'sec-fetch-site': 'same-origin' };
    const token = { 'x-csrf-token': person.csrfToken };
    const cases: readonly Record<string, string>[] = [
      own,
      { ...own, 'x-csrf-token': other.csrfToken },
      { ...own, 'x-csrf-token': person.csrfToken.slice(0, -1) },
      { ...own, ...token, 'sec-fetch-site': 'cross-site' },
      { ...own, ...token, 'sec-fetch-site': 'same-site' },
      { ...own, ...token, origin: 'https://evil.example' },
      { ...own, ...token, origin: 'null' },
      { ...own, ...token, origin: `${server.origin}.evil.example` },
    ];
    const before = await person.client.get_projects({ parameters: {} });
    for (const headers of cases) {
      await every(changing, headers, ({ status }, { name }) =>
        assert.equal(status, 403, `${name} ${JSON.stringify(headers)}`),
      );
    }
    assert.deepEqual(await person.client.get_projects({ parameters: {} }), before);
    await every(changing, { ...own, ...token }, ({ status }, { name }) =>
      assert.ok(status < 300 || status === 404, `${name} answers ${status}`),
    );
  });

  it('takes no session that was planted, ended, or of someone who was deactivated', async () => {
    const [ended, gone] = [await signIn(server), await signIn(server)];
    await server.services.sessions.revoke(ended.account.id, ended.sessionId);
    await server.services.accounts.setActive(gone.account.id, false);
    for (const cookie of [
      ended.cookie,
      gone.cookie,
      'overmind_session=planted',
      `overmind_session=${'a'.repeat(43)}`,
    ]) {
      await every(forPeople, { cookie }, ({ status, headers }, { name }) => {
        assert.equal(status, 401, name);
        assert.deepEqual(headers.getSetCookie(), [], name);
      });
    }
  });

  it('lets a key decide where both a key and a session are sent', async () => {
    const list = forPeople.filter(({ auth }) => auth === 'account');
    const both = { cookie: person.cookie, origin: server.origin, 'x-csrf-token': person.csrfToken };
    for (const headers of [
      { ...both, 'x-api-key': 'ovr_wrong' },
      { ...both, authorization: 'Basic YTpi' },
    ]) {
      await every(list, headers, ({ status }, { name }) => assert.equal(status, 401, name));
    }
  });

  it('says the same of what is not there and of what belongs to others', async () => {
    const theirs = await given.project({ server });
    const { keys } = { keys: await server.services.apiKeys.list({ projectId: theirs.project.id }) };
    const foreign = {
      project_id: theirs.project.id,
      account_id: theirs.account.id,
      key_id: keys[0]?.id ?? '',
      session_id: person.sessionId,
    };
    const list = forKeys.filter(({ path }) => path.includes('{'));
    for (const endpoint of list) {
      const headers = { 'x-api-key': caller.key };
      const answers = [];
      for (const ids of [foreign, {}]) {
        const { path, init } = requestOf(endpoint, ids);
        const { status, problem } = await send(path, init, headers);
        assert.deepEqual([status, problem['code']], [404, 'resource_not_found'], endpoint.name);
        answers.push({ ...problem, request_id: '' });
      }
      assert.deepEqual(answers[0], answers[1], endpoint.name);
    }
    for (const path of ['/api/v1/keys', '/api/v1/agent-calls']) {
      const answers = [];
      for (const id of [theirs.project.id, newId()]) {
        const { status, problem } = await send(`${path}?project_id=${id}`, {}, { 'x-api-key': caller.key });
        answers.push({ status, ...problem, request_id: '' });
      }
      assert.equal(answers[0]?.status, 404);
      assert.deepEqual(answers[0], answers[1]);
    }
  });

  it('refuses ids that are none, in words that repeat nothing of them', async () => {
    for (const id of ['1', "'; drop table accounts; --", '<script>', 'a'.repeat(4_000), '%00']) {
      for (const endpoint of forKeys.filter(({ path }) => path.includes('{'))) {
        const encoded = id.startsWith('%') ? id : encodeURIComponent(id).replaceAll('.', '%2E');
        const path = endpoint.path.replaceAll(/\{\w+\}/g, encoded);
        const { init } = requestOf(endpoint);
        const { status, problem } = await send(path, init, { 'x-api-key': caller.key });
        assert.ok(status === 400 || status === 404, `${endpoint.name} answers ${status} to ${id.slice(0, 20)}`);
        assert.ok(id.length < 3 || !JSON.stringify(problem).includes(id), endpoint.name);
      }
    }
  });

  it('reads no body of another type, no larger one, and no broken one', async () => {
    const key = { 'x-api-key': caller.key };
    for (const endpoint of withJson) {
      const { path, init } = requestOf(endpoint);
      const post = (body: string, type = 'application/json') =>
        send(path, { ...init, body, headers: { 'content-type': type } }, key);
      const { name } = endpoint;
      const most = endpoint.request?.maxBytes ?? 0;
      assert.equal((await post('a=b', 'application/x-www-form-urlencoded')).status, 415, name);
      assert.equal((await post('{"name":"x"}', 'text/plain')).status, 415, name);
      assert.equal((await post(JSON.stringify({ name: 'x'.repeat(most) }))).status, 413, name);
      for (const body of ['', '{', '[]', 'null', '{"__proto__":{"name":"x"}}', '\ufeff{}x']) {
        const { status, problem } = await post(body);
        assert.equal(status, 400, `${name} ${body}`);
        assert.match(String(problem['code']), /^invalid_(request|input)$/);
      }
      assert.equal((await post('{"name":"a\\u0000b","email":"a\\u0000b@example.com"}')).status, 400, name);
      assert.equal((await post('{"name":"\\ud800","email":"\\ud800@example.com"}')).status, 400, name);
      assert.equal((await post(`${'[{"a":'.repeat(200)}1${'}]'.repeat(200)}`)).status, 400, name);
      assert.equal(await sendChunked(endpoint, path), 413, name);
    }
  });

  it('answers nobody who names another host, other methods with what it takes, and no page that frames it', async () => {
    for (const endpoint of guarded) {
      const { path, init } = requestOf(endpoint);
      assert.equal(await statusOnHost(path, 'evil.example'), 421, endpoint.name);
      const other = endpoint.method === 'PUT' ? 'PATCH' : 'PUT';
      const { status, headers } = await send(path, { ...init, method: other }, { 'x-api-key': caller.key });
      assert.equal(status, 405, endpoint.name);
      assert.match(headers.get('allow') ?? '', new RegExp(endpoint.method));
      assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
  });

  it('slows an address down that guesses keys', async () => {
    const guess = (address: string) =>
      fetch(`${server.origin}/api/v1/account`, {
        headers: { 'x-api-key': `ovr_${newId()}`, 'x-forwarded-for': address },
      }).then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      });
    const statuses = await Promise.all(Array.from({ length: 120 }, () => guess('192.0.2.1')));
    assert.equal(statuses.filter((status) => status === 401).length, 100);
    assert.equal(statuses.filter((status) => status === 429).length, 20);
    assert.equal(await guess('192.0.2.2'), 401);
  });

  /** Says nothing of its length. */
  function sendChunked({ method, request: body }: Endpoint, path: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': caller.key, 'transfer-encoding': 'chunked' };
      const outgoing = request(`${server.origin}${path}`, { method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      outgoing.on('error', reject);
      for (let part = 0; part <= (body?.maxBytes ?? 0) / 1_024; part += 1) outgoing.write(`"${'x'.repeat(1_024)}",`);
      outgoing.end();
    });
  }

  function statusOnHost(path: string, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${server.origin}${path}`,
        { headers: { host, 'x-api-key': caller.key } },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    });
  }
});
