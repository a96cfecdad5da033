import assert from 'node:assert/strict';
import { createAuthenticator, type AuthenticationResult } from '../../src/auth/authenticate.ts';
import { createProjectResolver } from '../../src/auth/project-access.ts';
import type { NewApiKey } from '../../src/domain/identity/index.ts';
import { presentedCredential } from '../../src/http/credential.ts';
import type { InboundCall } from '../../src/http/inbound.ts';
import { newId } from '../../src/kernel/ids.ts';
import { FakeClock } from '../support/fakes/clock.ts';
import { makeServices } from '../support/services.ts';

const READ_WRITE = { read: true, write: true };
const CHALLENGE = 'ApiKey realm="overmind", header="X-Api-Key"';

/** Services with an authenticator whose memory runs on a clock of the test, and a count of look-ups. */
async function setting() {
  const clock = new FakeClock();
  const services = await makeServices({ clock });
  const { accounts, projects, changes, keyUsage } = services;
  const now = () => clock.now().getTime();
  const authenticate = createAuthenticator({ apiKeys: services.apiKeys, changes, keyUsage, clock, now });
  const resolve = createProjectResolver({ projects, changes, now });
  const account = await accounts.create({ email: `${newId()}@example.com` });
  const project = await projects.create({ accountId: account.id, name: 'Agent' });
  const makeKey = async (change: Partial<NewApiKey> = {}) =>
    services.apiKeys.create({ accountId: account.id, name: 'key', permissions: READ_WRITE, ...change });
  const counted = async <T>(work: () => Promise<T>): Promise<{ answer: T; statements: number }> => {
    let statements = 0;
    // Other work of the process shares the handle: audit rows and jobs do not count.
    const count = ({ sql }: { sql: string }) => {
      if (/\b(api_keys|memberships|projects|accounts)\b/.test(sql) && /^\s*select/i.test(sql)) statements += 1;
    };
    services.db.on('query', count);
    try {
      const answer = await work();
      return { answer, statements };
    } finally {
      services.db.removeListener('query', count);
    }
  };
  return { clock, services, authenticate, resolve, account, project, makeKey, counted };
}

function request(headers: Record<string, string>, clientIp = '127.0.0.1'): InboundCall {
  const signal = new AbortController().signal;
  return {
    requestId: 'request-1',
    clientIp,
    method: 'POST',
    path: '/api/mcp',
    headers,
    credential: presentedCredential(headers),
    signal,
  };
}

function denialOf(answer: AuthenticationResult) {
  assert.ok('denial' in answer, 'the credential must be refused');
  return answer.denial;
}

function principalOf(answer: AuthenticationResult) {
  assert.ok('principal' in answer, 'the credential must be accepted');
  return answer.principal;
}

describe('createAuthenticator', () => {
  it('asks for a key when there is none', async () => {
    const { authenticate } = await setting();
    for (const headers of [{}, { authorization: 'Basic dXNlcjpwYXNz' }, { 'x-api-key': '' }]) {
      const denial = denialOf(await authenticate(request(headers)));
      assert.equal(denial.status, 401);
      assert.equal(denial.code, 'authentication_required');
      assert.equal(denial.challenge, CHALLENGE);
    }
  });

  it('accepts a key in X-Api-Key and as a bearer token, and says who calls', async () => {
    const { authenticate, account, project, makeKey } = await setting();
    const { key, secret } = await makeKey({ projectId: project.id, permissions: { read: true, write: false } });
    for (const headers of [
      { 'x-api-key': secret },
      { authorization: `Bearer ${secret}` },
      { authorization: `bearer  ${secret}` },
    ]) {
      const principal = principalOf(await authenticate(request(headers)));
      assert.equal(principal.subject, account.id);
      assert.equal(principal.credentialId, key.id);
      assert.equal(principal.projectId, project.id);
      assert.deepEqual(principal.permissions, { read: true, write: false });
      assert.deepEqual(principal.account.credential.project, {
        id: project.id,
        name: project.name,
        slug: project.slug,
      });
    }
  });

  it('lets X-Api-Key win over a bearer token, good or bad', async () => {
    const { authenticate, makeKey } = await setting();
    const { key, secret } = await makeKey();
    const wrong = `ovr_${'A'.repeat(43)}`;
    const good = await authenticate(request({ 'x-api-key': secret, authorization: `Bearer ${wrong}` }));
    assert.equal(principalOf(good).credentialId, key.id);
    const bad = await authenticate(request({ 'x-api-key': wrong, authorization: `Bearer ${secret}` }));
    assert.equal(denialOf(bad).code, 'authentication_failed');
  });

  it('refuses unknown, revoked and expired keys and keys of inactive accounts with a 401 and words of their own', async () => {
    const { authenticate, services, account, makeKey, clock } = await setting();
    const messages = new Set<string>();
    const refuse = async (secret: string) => {
      const denial = denialOf(await authenticate(request({ 'x-api-key': secret })));
      assert.equal(denial.status, 401);
      assert.equal(denial.code, 'authentication_failed');
      assert.equal(denial.challenge, CHALLENGE);
      messages.add(denial.message);
    };
    await refuse(`ovr_${'A'.repeat(43)}`);
    const revoked = await makeKey();
    await services.apiKeys.revoke(revoked.key.id);
    await refuse(revoked.secret);
    const expiring = await makeKey({ expiresAt: new Date(clock.now().getTime() + 1_000) });
    principalOf(await authenticate(request({ 'x-api-key': expiring.secret })));
    clock.advance(1_000);
    await refuse(expiring.secret);
    const live = await makeKey();
    await services.accounts.setActive(account.id, false);
    await refuse(live.secret);
    assert.equal(messages.size, 4);
  });

  it('refuses a right key from a wrong address with 403 and no challenge, in memory too', async () => {
    const { authenticate, makeKey } = await setting();
    const { secret } = await makeKey({ allowedIps: ['203.0.113.7'] });
    principalOf(await authenticate(request({ 'x-api-key': secret }, '203.0.113.7')));
    const denial = denialOf(await authenticate(request({ 'x-api-key': secret }, '198.51.100.1')));
    assert.deepEqual([denial.status, denial.code, denial.challenge], [403, 'authentication_failed', undefined]);
  });

  it('asks for another project when a project key’s project is inactive or was left', async () => {
    const { authenticate, services, account, project, makeKey } = await setting();
    const { secret } = await makeKey({ projectId: project.id });
    const refusal = async () => {
      const denial = denialOf(await authenticate(request({ 'x-api-key': secret })));
      return [denial.status, denial.code];
    };
    await services.projects.setActive(project.id, false);
    assert.deepEqual(await refusal(), [403, 'project_required']);
    await services.projects.setActive(project.id, true);
    principalOf(await authenticate(request({ 'x-api-key': secret })));
    await services.projects.removeMember(project.id, account.id);
    assert.deepEqual(await refusal(), [403, 'project_required']);
  });

  it('costs one statement, none while the key is remembered, and one for many calls at once', async () => {
    const { authenticate, project, makeKey, clock, counted } = await setting();
    const { secret } = await makeKey({ projectId: project.id });
    const call = () => Promise.resolve(authenticate(request({ 'x-api-key': secret })));
    const burst = await counted(() => Promise.all(Array.from({ length: 20 }, call)));
    assert.equal(burst.statements, 1);
    clock.advance(1_999);
    assert.equal((await counted(call)).statements, 0);
    clock.advance(1);
    assert.equal((await counted(call)).statements, 1);
  });

  it('asks the database nothing for text that cannot be a key', async () => {
    const { authenticate, counted } = await setting();
    const texts = ['x', 'ovr_short', `ovr_${'A'.repeat(44)}`, `OVR_${'A'.repeat(43)}`, `ovr_${'='.repeat(43)}`];
    for (const text of texts) {
      const { answer, statements } = await counted(() => Promise.resolve(authenticate(request({ 'x-api-key': text }))));
      assert.equal(denialOf(answer).code, 'authentication_failed');
      assert.equal(statements, 0);
    }
  });

  it('remembers no refusal: a key works from the moment it is good', async () => {
    const { authenticate, services, account, makeKey } = await setting();
    const { secret } = await makeKey();
    await services.db('accounts').where({ id: account.id }).update({ is_active: false });
    denialOf(await authenticate(request({ 'x-api-key': secret })));
    await services.db('accounts').where({ id: account.id }).update({ is_active: true });
    principalOf(await authenticate(request({ 'x-api-key': secret })));
  });

  it('forgets a revoked key at once in the process that revoked it, and within two seconds elsewhere', async () => {
    const { authenticate, services, makeKey, clock } = await setting();
    const elsewhere = await makeServices({ clock });
    const [here, there] = [await makeKey(), await makeKey()];
    for (const { secret } of [here, there]) principalOf(await authenticate(request({ 'x-api-key': secret })));
    await elsewhere.apiKeys.revoke(there.key.id);
    principalOf(await authenticate(request({ 'x-api-key': there.secret })));
    clock.advance(2_000);
    denialOf(await authenticate(request({ 'x-api-key': there.secret })));
    await services.apiKeys.revoke(here.key.id);
    denialOf(await authenticate(request({ 'x-api-key': here.secret })));
  });
});

describe('createProjectResolver', () => {
  it('gives a project key its own project without a statement, and no other', async () => {
    const { authenticate, resolve, services, account, project, makeKey, counted } = await setting();
    const other = await services.projects.create({ accountId: account.id, name: 'Other' });
    const { secret } = await makeKey({ projectId: project.id });
    const principal = principalOf(await authenticate(request({ 'x-api-key': secret })));
    const own = await counted(() => Promise.resolve(resolve(principal, project.id)));
    assert.deepEqual(own.answer?.context.project, { id: project.id, name: project.name, slug: project.slug });
    assert.equal(own.statements, 0);
    assert.equal(await resolve(principal, other.id), undefined);
  });

  it('gives an account key every project it is a member of, one answer for all others', async () => {
    const { authenticate, resolve, services, project, makeKey, counted } = await setting();
    const stranger = await services.accounts.create({ email: `${newId()}@example.com` });
    const foreign = await services.projects.create({ accountId: stranger.id, name: 'Foreign' });
    const { secret } = await makeKey();
    const principal = principalOf(await authenticate(request({ 'x-api-key': secret })));
    const find = () => Promise.resolve(resolve(principal, project.id));
    assert.equal((await counted(find)).statements, 1);
    const again = await counted(find);
    assert.equal(again.answer?.id, project.id);
    assert.equal(again.statements, 0);
    for (const id of [foreign.id, newId(), 'nonsense', '']) assert.equal(await resolve(principal, id), undefined);
  });

  it('forgets a membership at once when this process ends it', async () => {
    const { authenticate, resolve, services, account, project, makeKey } = await setting();
    const { secret } = await makeKey();
    const principal = principalOf(await authenticate(request({ 'x-api-key': secret })));
    assert.ok(await resolve(principal, project.id));
    await services.projects.removeMember(project.id, account.id);
    assert.equal(await resolve(principal, project.id), undefined);
  });
});
