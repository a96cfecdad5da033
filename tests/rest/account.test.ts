import assert from 'node:assert/strict';
import { createClient, type Client } from '../../generated/client/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { given } from '../support/given.ts';
import { sharedServer } from '../support/mcp.ts';
import { refused, signIn } from './support/person.ts';

async function clientFor(key: string): Promise<Client> {
  return createClient({ origin: (await sharedServer()).origin, apiKey: key });
}

describe('REST: the account', () => {
  it('says who a key stands for, and what it may do', async () => {
    const world = await given.project({ permissions: { read: true, write: false } });
    const me = await (await clientFor(world.key)).get_account({});
    assert.deepEqual(
      { ...me, credential: { ...me.credential, id: '' } },
      {
        id: world.account.id,
        email: world.account.email,
        has_password: false,
        created_at: world.account.createdAt.toISOString(),
        credential: { kind: 'api_key', id: '', project_id: world.project.id },
        permissions: ['read'],
        csrf_token: null,
      },
    );
  });

  it('takes the session of a person, with its token for what changes something', async () => {
    const server = await sharedServer();
    const person = await signIn(server);
    const me = await person.client.get_account({});
    assert.deepEqual(me.credential, { kind: 'session', id: person.sessionId, project_id: null });
    assert.deepEqual(me.permissions, ['read', 'write']);
    const project = await person.client.create_project({ body: { name: 'By session' } });
    assert.deepEqual((await person.client.get_projects({ parameters: {} })).projects, [project]);
  });

  it('lists browsers and signs one out at once', async () => {
    const server = await sharedServer();
    const first = await signIn(server);
    const { token } = await server.services.sessions
      .signIn(first.account.email, 'correct horse battery staple', { clientIp: '::1', userAgent: 'other' })
      .then((opened) => opened ?? assert.fail('the password must be right'));
    const { sessions } = await first.client.get_browser_sessions({});
    assert.deepEqual(sessions.map(({ is_current }) => String(is_current)).toSorted(), ['false', 'true']);
    const other = sessions.find(({ is_current }) => !is_current) ?? assert.fail('the other browser is missing');
    await first.client.end_browser_session({ parameters: { session_id: other.id } });
    assert.equal(await server.services.sessions.find(token), undefined);
    const again = await refused(first.client.end_browser_session({ parameters: { session_id: other.id } }));
    const absent = await refused(first.client.end_browser_session({ parameters: { session_id: newId() } }));
    const foreign = await refused(
      (await signIn(server)).client.end_browser_session({ parameters: { session_id: first.sessionId } }),
    );
    assert.deepEqual(
      [again, absent, foreign].map(({ status, message }) => `${status} ${message}`),
      Array.from({ length: 3 }, () => '404 There is no such session among those of this account.'),
    );
    await first.client.end_browser_session({ parameters: { session_id: first.sessionId } });
    assert.equal((await refused(first.client.get_account({}))).status, 401);
  });

  it('keeps browser sessions away from keys', async () => {
    const { key } = await given.account();
    assert.equal((await refused((await clientFor(key)).get_browser_sessions({}))).code, 'authentication_required');
  });
});

describe('REST: keys', () => {
  it('are made once, listed without their secret, and stop when revoked', async () => {
    const person = await given.account();
    const client = await clientFor(person.key);
    const made = await client.create_account_key({
      body: { name: 'laptop', access: 'read_write', expires_in_days: 7, allowed_ips: ['127.0.0.0/8', '::1'] },
    });
    assert.deepEqual(made.key.permissions, ['read', 'write']);
    assert.deepEqual(made.key.allowed_ips, ['127.0.0.0/8', '::1']);
    const { keys } = await client.get_keys({ parameters: {} });
    assert.deepEqual(keys.at(-1), made.key);
    assert.ok(!JSON.stringify(keys).includes(made.secret));
    const laptop = await clientFor(made.secret);
    assert.equal((await laptop.get_account({})).credential.id, made.key.id);
    const revoked = await client.revoke_key({ parameters: { key_id: made.key.id } });
    assert.ok(revoked.revoked_at !== null);
    const again = await client.revoke_key({ parameters: { key_id: made.key.id } });
    // The last use is written after the request that was it.
    assert.deepEqual({ ...again, last_used_at: revoked.last_used_at }, revoked);
    assert.equal((await refused(laptop.get_account({}))).code, 'authentication_failed');
  });

  it('of a project are seen and ended by each of its members', async () => {
    const world = await given.project();
    const { services } = world.server;
    const colleague = await given.account();
    await services.projects.addMember(world.project.id, colleague.account.id);
    const client = await clientFor(colleague.key);
    const { keys } = await client.get_keys({ parameters: { project_id: world.project.id } });
    assert.deepEqual(
      keys.map(({ project_id }) => project_id),
      [world.project.id],
    );
    await client.revoke_key({ parameters: { key_id: keys[0]?.id ?? '' } });
    assert.equal((await refused((await clientFor(world.key)).get_account({}))).status, 401);
  });

  it('give no right that the credential lacks', async () => {
    const writer = await given.account({ permissions: { read: false, write: true } });
    const client = await clientFor(writer.key);
    for (const access of ['read', 'read_write'] as const) {
      const denied = await refused(client.create_account_key({ body: { name: 'more', access } }));
      assert.deepEqual([denied.code, denied.fields], ['permission_denied', { permission: 'read' }]);
    }
    assert.deepEqual((await client.create_account_key({ body: { name: 'same', access: 'write' } })).key.permissions, [
      'write',
    ]);
    const narrow = await given.project();
    const wider = (await clientFor(narrow.key)).create_account_key({ body: { name: 'wider' } });
    assert.equal((await refused(wider)).code, 'permission_denied');
  });

  it('cannot shed a limit by making another key', async () => {
    const { server, account } = await given.account();
    const day = new Date(server.services.clock.now().getTime() + 86_400_000);
    const limited = await server.services.apiKeys.create({
      accountId: account.id,
      name: 'limited',
      permissions: { read: true, write: true },
      allowedIps: ['127.0.0.1'],
      expiresAt: day,
    });
    const client = await clientFor(limited.secret);
    const { key } = await client.create_account_key({ body: { name: 'free', allowed_ips: ['0.0.0.0/0'] } });
    assert.deepEqual([key.allowed_ips, key.expires_at], [['127.0.0.1'], day.toISOString()]);
  });

  it('have plain names and address ranges that can be read', async () => {
    const client = await clientFor((await given.account()).key);
    for (const name of ['', ' ', 'a\u0007b', 'x'.repeat(121), 'two\nlines']) {
      const wrong = await refused(client.create_account_key({ body: { name } }));
      assert.deepEqual([wrong.code, Object.keys(wrong.fields)], ['invalid_input', ['name']], JSON.stringify(name));
    }
    const range = await refused(client.create_account_key({ body: { name: 'x', allowed_ips: ['10.0.0.0/64'] } }));
    assert.deepEqual([range.code, Object.keys(range.fields)], ['invalid_input', ['allowed_ips']]);
  });
});

describe('REST: members', () => {
  it('are invited by a link, listed, and lose access at once when removed', async () => {
    const server = await sharedServer();
    const owner = await signIn(server);
    const project = await owner.client.create_project({ body: { name: 'Shared' } });
    const parameters = { project_id: project.id };
    const email = `${newId()}@example.com`;
    const { member, invitation } = await owner.client.add_member({ parameters, body: { email } });
    assert.deepEqual([member.email, member.has_signed_up, member.is_active], [email, false, true]);
    const token = new URL(invitation?.url ?? assert.fail('someone new needs a link')).searchParams.get('token') ?? '';
    const { accounts, sessions, apiKeys } = server.services;
    await sessions.redeemLink(token, { password: 'a password of my own' }, { clientIp: '::1', userAgent: undefined });
    const { members } = await owner.client.get_members({ parameters });
    assert.deepEqual(
      members.map(({ email: address, has_signed_up }) => [address, has_signed_up]),
      [
        [owner.account.email, true],
        [email, true],
      ],
    );
    const guest = (await accounts.findByEmail(email)) ?? assert.fail('the guest has an account');
    const { secret } = await apiKeys.create({
      accountId: guest.id,
      name: 'guest',
      permissions: { read: true, write: true },
    });
    const asGuest = await clientFor(secret);
    assert.equal((await asGuest.get_members({ parameters })).members.length, 2);
    await owner.client.remove_member({ parameters: { ...parameters, account_id: guest.id } });
    assert.equal((await refused(asGuest.get_members({ parameters }))).code, 'resource_not_found');
    const last = owner.client.remove_member({ parameters: { ...parameters, account_id: owner.account.id } });
    assert.equal((await refused(last)).code, 'invalid_input');
  });

  it('who are known elsewhere get no link that would let another person become them', async () => {
    const server = await sharedServer();
    const [mine, theirs] = [await signIn(server), await signIn(server)];
    const email = `${newId()}@example.com`;
    const theirProject = await theirs.client.create_project({ body: { name: 'Theirs' } });
    const first = await theirs.client.add_member({ parameters: { project_id: theirProject.id }, body: { email } });
    assert.ok(first.invitation !== null);
    const project = await mine.client.create_project({ body: { name: 'Mine' } });
    const parameters = { project_id: project.id };
    assert.equal((await mine.client.add_member({ parameters, body: { email } })).invitation, null);
    const known = await mine.client.add_member({ parameters, body: { email: theirs.account.email } });
    assert.equal(known.invitation, null);
    const token = new URL(first.invitation.url).searchParams.get('token') ?? '';
    assert.ok((await server.services.sessions.findLink(token)) !== undefined, 'the first link still works');
  });

  it('are decided about by credentials for the whole account only', async () => {
    const world = await given.project();
    const client = await clientFor(world.key);
    const parameters = { project_id: world.project.id };
    assert.equal((await client.get_members({ parameters })).members.length, 1);
    for (const work of [
      () => client.add_member({ parameters, body: { email: 'a@example.com' } }),
      () => client.remove_member({ parameters: { ...parameters, account_id: world.account.id } }),
      () => client.rename_project({ parameters, body: { name: 'Other' } }),
      () => client.deactivate_project({ parameters }),
      () => client.get_connections({}),
      () => client.revoke_connection({ parameters: { connection_id: newId() } }),
    ]) {
      assert.equal((await refused(work())).code, 'permission_denied');
    }
  });
});

describe('REST: projects', () => {
  it('are renamed, and gone for everybody once deactivated', async () => {
    const world = await given.project();
    const client = await clientFor((await world.withAccountKey()).key);
    const parameters = { project_id: world.project.id };
    const renamed = await client.rename_project({ parameters, body: { name: '  <b>Näme</b>  ' } });
    assert.deepEqual([renamed.name, renamed.slug], ['<b>Näme</b>', world.project.slug]);
    const control = await refused(client.rename_project({ parameters, body: { name: 'a\u0000b' } }));
    assert.equal(control.code, 'invalid_input');
    await client.deactivate_project({ parameters });
    assert.equal((await refused(client.get_members({ parameters }))).code, 'resource_not_found');
    assert.equal((await refused((await clientFor(world.key)).get_account({}))).code, 'project_required');
  });
});

describe('REST: what agents did', () => {
  it('is listed for a project and for an account, page by page', async () => {
    const world = await given.project();
    await world.call('list_datasets', {});
    await world.refuses('query_dataset', { dataset: 'none', sql: 'select 1' }, { code: 'dataset_not_found' });
    await world.services.agentCalls.flush();
    const client = await clientFor(world.key);
    const { calls, next_cursor } = await client.get_agent_calls({ parameters: {} });
    assert.equal(next_cursor, null);
    assert.deepEqual(
      calls.map(({ name, error_code, project_id, account_email, credential_name }) => [
        name,
        error_code,
        project_id,
        account_email,
        credential_name,
      ]),
      [
        ['query_dataset', 'dataset_not_found', world.project.id, world.account.email, 'tests'],
        ['list_datasets', null, world.project.id, world.account.email, 'tests'],
      ],
    );
    const failed = await client.get_agent_calls({ parameters: { outcome: 'error', name: 'query_dataset' } });
    assert.deepEqual(failed.calls, [calls[0]]);
    const forged = await refused(client.get_agent_calls({ parameters: { cursor: 'forged' } }));
    assert.equal(forged.code, 'invalid_filter');
  });
});
