import assert from 'node:assert/strict';
import { DAY_MS, SECOND_MS } from '../../src/kernel/duration.ts';
import { FakeClock } from '../support/fakes/clock.ts';
import { mcp, person, RawClient, tokensOf, type Json, type Person, type Tokens } from './support/client.ts';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

describe('OAuth refresh', () => {
  const clock = new FakeClock(new Date());
  let server: OAuthServer;
  let strict: OAuthServer;
  let who: Person;
  before(async () => {
    server = await startOAuthServer({ clock });
    strict = await startOAuthServer({ clock, environment: { OAUTH_REFRESH_GRACE_SECONDS: '0' } });
    who = await person(server);
  });
  after(async () => {
    await server.stop();
    await strict.stop();
  });
  // The limit of one address is 120 token requests a minute of real time.
  beforeEach(async () => {
    await server.stop();
    server = await startOAuthServer({ clock });
  });

  const connect = async (): Promise<{ client: RawClient; tokens: Tokens }> => {
    const client = await RawClient.register(server);
    return { client, tokens: await client.connect(who, 'overmind:read overmind:write') };
  };
  const isAlive = async (tokens: Tokens) => (await mcp(server, tokens.access_token)).status === 200;
  const grantError = ({ status, body }: Json) => [status, body['error']];

  it('gives 50 parallel refreshes of one token the same one successor, which works', async () => {
    const { client, tokens } = await connect();
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.refresh(tokens.refresh_token)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map((answer) => tokensOf(answer).refresh_token)).size, 1);
    assert.equal(new Set(answers.map((answer) => tokensOf(answer).access_token)).size, 1);
    const [first] = answers;
    assert.ok(first !== undefined);
    const live = await server.services
      .db('oauth_tokens')
      .where({ client_id: client.id, kind: 'refresh' })
      .whereNull('consumed_at')
      .count('* as n')
      .first();
    assert.equal(Number(live?.['n']), 1);
    clock.advance(30 * SECOND_MS);
    const next = tokensOf(await client.refresh(tokensOf(first).refresh_token));
    assert.ok(await isAlive(next));
  });

  it('serves a retry within the grace, and ends the whole family when the token comes later', async () => {
    const { client, tokens } = await connect();
    const second = tokensOf(await client.refresh(tokens.refresh_token));
    clock.advance(10 * SECOND_MS);
    assert.deepEqual(tokensOf(await client.refresh(tokens.refresh_token)).refresh_token, second.refresh_token);
    clock.advance(1);
    assert.deepEqual(grantError(await client.refresh(tokens.refresh_token)), [400, 'invalid_grant']);
    assert.ok(!(await isAlive(tokens)));
    assert.ok(!(await isAlive(second)));
    assert.deepEqual(grantError(await client.refresh(second.refresh_token)), [400, 'invalid_grant']);
  });

  it('gives a retry that comes after the next rotation the newest tokens of the family', async () => {
    const { client, tokens } = await connect();
    const second = tokensOf(await client.refresh(tokens.refresh_token));
    const third = tokensOf(await client.refresh(second.refresh_token));
    const late = tokensOf(await client.refresh(tokens.refresh_token));
    assert.equal(late.refresh_token, third.refresh_token);
    clock.advance(60 * SECOND_MS);
    assert.ok(await isAlive(tokensOf(await client.refresh(late.refresh_token))));
  });

  it('takes every second use for theft when there is no grace', async () => {
    const client = await RawClient.register(strict);
    const tokens = await client.connect(who);
    const second = tokensOf(await client.refresh(tokens.refresh_token));
    assert.deepEqual(grantError(await client.refresh(tokens.refresh_token)), [400, 'invalid_grant']);
    assert.equal((await mcp(strict, second.access_token)).status, 401);
  });

  it('lets exactly one of parallel refreshes win when there is no grace, and then ends the family', async () => {
    const client = await RawClient.register(strict);
    const tokens = await client.connect(who);
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.refresh(tokens.refresh_token)));
    const statuses = answers.map(({ status }) => status).toSorted((left, right) => left - right);
    assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 400)]);
    const winner = answers.find(({ status }) => status === 200);
    assert.ok(winner !== undefined);
    assert.equal((await mcp(strict, tokensOf(winner).access_token)).status, 401);
  });

  it('keeps two devices of one person apart', async () => {
    const { client, tokens: laptop } = await connect();
    const desktop = await client.connect(who);
    const next = tokensOf(await client.refresh(laptop.refresh_token));
    clock.advance(60 * SECOND_MS);
    await client.refresh(laptop.refresh_token);
    assert.ok(!(await isAlive(next)));
    assert.ok(await isAlive(desktop));
    assert.ok(await isAlive(tokensOf(await client.refresh(desktop.refresh_token))));
    const connections = await server.services.connections.list(who.account.id);
    assert.equal(connections.filter(({ clientId }) => clientId === client.id).length, 1);
  });

  it('cannot add a scope or change the client, and still works afterwards', async () => {
    const client = await RawClient.register(server);
    const tokens = await client.connect(who, 'overmind:read');
    const stranger = await RawClient.register(server);
    assert.deepEqual(grantError(await stranger.refresh(tokens.refresh_token)), [400, 'invalid_grant']);
    const wider = await client.refresh(tokens.refresh_token, { scope: 'overmind:read overmind:write' });
    assert.deepEqual(grantError(wider), [400, 'invalid_scope']);
    const foreign = await client.refresh(tokens.refresh_token, { resource: 'https://evil.test/' });
    assert.deepEqual(grantError(foreign), [400, 'invalid_target']);
    for (const token of ['', 'unknown', tokens.access_token])
      assert.equal((await client.refresh(token)).status, 400, token);
    const next = tokensOf(await client.refresh(tokens.refresh_token, { resource: undefined }));
    assert.equal(next.scope, 'overmind:read');
  });

  it('narrows the access token when asked, and the refresh token keeps what was granted', async () => {
    const { client, tokens } = await connect();
    const narrow = tokensOf(await client.refresh(tokens.refresh_token, { scope: 'overmind:read' }));
    assert.equal(narrow.scope, 'overmind:read');
    const write = { name: 'create_dataset_from_traces', arguments: {} };
    assert.equal((await mcp(server, narrow.access_token, 'tools/call', write)).status, 403);
    const wide = tokensOf(await client.refresh(narrow.refresh_token));
    assert.equal(wide.scope, 'overmind:read overmind:write');
  });

  it('ends access after an hour and refreshes after ten years', async () => {
    const { client, tokens } = await connect();
    clock.advance(3_600 * SECOND_MS - 1);
    assert.ok(await isAlive(tokens));
    clock.advance(1);
    assert.ok(!(await isAlive(tokens)));
    clock.advance(31 * DAY_MS);
    const second = tokensOf(await client.refresh(tokens.refresh_token));
    assert.equal(second.expires_in, 3_600);
    clock.advance(3_650 * DAY_MS);
    const third = tokensOf(await client.refresh(second.refresh_token));
    assert.ok(await isAlive(third));
    assert.notEqual(third.refresh_token, second.refresh_token);
  });

  it('ends with the family by revocation of either token, and by nobody else’s', async () => {
    for (const which of ['access_token', 'refresh_token'] as const) {
      const { client, tokens } = await connect();
      const stranger = await RawClient.register(server);
      assert.equal(await stranger.revoke(tokens[which]), 200);
      assert.ok(await isAlive(tokens));
      assert.equal(await new RawClient(server, 'omc_unknown').revoke(tokens[which]), 401);
      assert.equal(await client.revoke('unknown'), 200);
      assert.equal(await client.revoke(tokens[which]), 200);
      assert.ok(!(await isAlive(tokens)));
      assert.deepEqual(grantError(await client.refresh(tokens.refresh_token)), [400, 'invalid_grant']);
    }
  });

  it('tells a client that was forgotten to register again', async () => {
    const { client, tokens } = await connect();
    await server.services.oauth.store.removeClient(client.id);
    assert.deepEqual(grantError(await client.refresh(tokens.refresh_token)), [401, 'invalid_client']);
  });
});

describe('OAuth access', () => {
  let server: OAuthServer;
  before(async () => {
    server = await startOAuthServer();
  });
  after(() => server.stop());

  const listed = async (token: string) =>
    JSON.stringify((await mcp(server, token, 'tools/call', { name: 'list_projects', arguments: {} })).body);
  const inspect = async (token: string, projectId: string) =>
    JSON.stringify(
      (await mcp(server, token, 'tools/call', { name: 'list_datasets', arguments: { project_id: projectId } })).body,
    );

  it('reaches all present and future projects, and no lost one', async () => {
    const who = await person(server);
    const { projects } = server.services;
    const first = await projects.create({ accountId: who.account.id, name: 'First' });
    const { access_token: token } = await (await RawClient.register(server)).connect(who);
    const second = await projects.create({ accountId: who.account.id, name: 'Second' });
    for (const project of [first, second]) {
      assert.match(await listed(token), new RegExp(project.id));
      assert.doesNotMatch(await inspect(token, project.id), /project_required/);
    }
    // Straight in the table, as another process would: no memory of this one is told.
    await server.services.db('memberships').where({ account_id: who.account.id, project_id: second.id }).delete();
    assert.doesNotMatch(await listed(token), new RegExp(second.id));
    assert.match(await inspect(token, second.id), /project_required/);
  });

  it('ends at once when the account is deactivated, by whatever process', async () => {
    const who = await person(server);
    const client = await RawClient.register(server);
    const tokens = await client.connect(who);
    assert.equal((await mcp(server, tokens.access_token)).status, 200);
    await server.services.db('accounts').where({ id: who.account.id }).update({ is_active: false });
    assert.equal((await mcp(server, tokens.access_token)).status, 401);
    assert.equal((await client.refresh(tokens.refresh_token)).status, 400);
  });

  it('lists connections with their uses, and revokes one for its owner only', async () => {
    const who = await person(server);
    const other = await person(server);
    const { connections } = server.services;
    const tokens = await (await RawClient.register(server)).connect(who);
    const [unused] = await connections.list(who.account.id);
    assert.equal(unused?.clientName, 'Test client');
    assert.equal(unused?.redirectHost, '127.0.0.1:53682');
    assert.deepEqual(unused?.scopes, ['overmind:read']);
    assert.equal(unused?.firstUsedAt, undefined);
    await mcp(server, tokens.access_token);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const [used] = await connections.list(who.account.id);
    assert.ok(used?.firstUsedAt instanceof Date && used.lastUsedAt instanceof Date);
    await assert.rejects(connections.revoke(other.account.id, used.id), { code: 'resource_not_found' });
    assert.equal((await mcp(server, tokens.access_token)).status, 200);
    await connections.revoke(who.account.id, used.id);
    assert.equal((await mcp(server, tokens.access_token)).status, 401);
    assert.deepEqual(await connections.list(who.account.id), []);
  });
});
