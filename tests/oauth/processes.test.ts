import assert from 'node:assert/strict';
import { connect } from '../../src/db/connect.ts';
import type { Db } from '../../src/db/database.ts';
import { Site } from '../console/support/site.ts';
import { beforeClosing } from '../support/boot.ts';
import { freePort } from '../support/free-port.ts';
import { emptyDatabaseUrl, emptyFolder, overmind, serve, type RunningServer } from '../support/process.ts';
import { makeServices } from '../support/services.ts';
import { mcp, person, RawClient, tokensOf, type Person } from './support/client.ts';
import { RoundRobin } from './support/round-robin.ts';
import type { OAuthServer } from './support/server.ts';

describe('OAuth in several processes', function () {
  this.timeout(120_000);
  const balancer = new RoundRobin();
  let environment: Record<string, string>;
  let db: Db;
  let front: OAuthServer;
  let who: Person;
  let running: RunningServer[];
  let ports: number[];

  const start = async (port: number): Promise<RunningServer> =>
    serve({ ...environment, PORT: String(port), DATA_DIR: await emptyFolder() }, ['--no-worker']);
  const liveTokens = async (client: RawClient) =>
    Number(
      (
        await db('oauth_tokens')
          .where({ client_id: client.id, kind: 'refresh' })
          .whereNull('consumed_at')
          .count('* as n')
          .first()
      )?.['n'],
    );

  before(async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const url = await emptyDatabaseUrl();
    environment = { DATABASE_URL: url, MCP_SERVER_URL: `${origin}/api/mcp/`, RATE_LIMIT_REQUESTS: '0' };
    ports = [await freePort(), await freePort()];
    running = await Promise.all(ports.map(start));
    balancer.sendTo(...ports);
    await balancer.listen(port);
    db = connect({ url }, { applicationName: 'tests' });
    beforeClosing(() => db.destroy());
    // because these tests use nothing of a server but its address, its accounts and its projects
    front = { origin, resource: `${origin}/api/mcp/`, services: await makeServices({ db }) } as OAuthServer;
    who = await person(front);
  });
  after(async () => {
    await balancer.close();
    await Promise.all(running.map(({ process }) => process.stop('SIGKILL')));
  });

  it('share everything between the steps of one sign-in', async () => {
    const client = await RawClient.register(front);
    const tokens = await client.connect(who);
    for (let turn = 0; turn < 4; turn += 1) assert.equal((await mcp(front, tokens.access_token)).status, 200);
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.refresh(tokens.refresh_token)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const successors = new Set(answers.map((answer) => tokensOf(answer).refresh_token));
    assert.equal(successors.size, 1);
    assert.equal(await liveTokens(client), 1);
    const [successor = ''] = successors;
    const next = tokensOf(await client.refresh(successor));
    assert.equal(await client.revoke(next.refresh_token), 200);
    for (let turn = 0; turn < 4; turn += 1) assert.equal((await mcp(front, next.access_token)).status, 401);
  });

  it('share sessions, forms, revocations and the count of wrong passwords at the Console', async () => {
    const site = new Site(front.origin);
    assert.equal((await site.signIn(who.email)).status, 303);
    // One process draws each form and the other takes it.
    const made = await site.submit('/projects', 'create', { name: 'Shared' });
    assert.match(made.location ?? '', /notice=/);
    for (let turn = 0; turn < 4; turn += 1) assert.match((await site.get('/projects')).html, /Shared/);

    const client = await RawClient.register(front);
    const tokens = await client.connect(who);
    const connection = (await front.services.connections.list(who.account.id)).find(
      ({ clientId }) => clientId === client.id,
    );
    const revoked = await site.submit('/connections', 'revoke', { connection: connection?.id ?? '', confirmed: 'yes' });
    assert.equal(revoked.location, '/connections?notice=connection_revoked');
    for (let turn = 0; turn < 4; turn += 1) assert.equal((await mcp(front, tokens.access_token)).status, 401);
    assert.equal((await client.refresh(tokens.refresh_token)).body['error'], 'invalid_grant');

    await site.submit('/sign-out', 'sign_out');
    for (let turn = 0; turn < 4; turn += 1) assert.equal((await site.get('/projects')).status, 303);
    const tries: number[] = [];
    for (let count = 0; count < 12; count += 1)
      tries.push((await new Site(front.origin).signIn('guessed@example.com', 'wrong wrong wrong')).status);
    assert.deepEqual(tries, [...Array.from({ length: 10 }, () => 400), 429, 429]);
  });

  it('lose no connection when one is killed in the middle of refreshes', async () => {
    const client = await RawClient.register(front);
    const tokens = await client.connect(who);
    const [victim, survivor] = running;
    const [victimPort = 0, survivorPort = 0] = ports;
    assert.ok(victim !== undefined && survivor !== undefined);
    const under = Promise.allSettled(Array.from({ length: 50 }, () => client.refresh(tokens.refresh_token)));
    const killed = victim.process.stop('SIGKILL');
    const answers = await under;
    await killed;
    balancer.sendTo(survivorPort);
    const statuses = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : 502));
    assert.ok(
      statuses.every((status) => status === 200 || status === 502),
      statuses.join(),
    );
    const retried = tokensOf(await client.refresh(tokens.refresh_token));
    assert.equal(await liveTokens(client), 1);
    assert.equal((await mcp(front, retried.access_token)).status, 200);
    const next = tokensOf(await client.refresh(retried.refresh_token));
    running[0] = await start(victimPort);
    balancer.sendTo(victimPort);
    assert.equal((await mcp(front, next.access_token)).status, 200);
    balancer.sendTo(...ports);
  });

  it('keep connections when the keys are rotated and everything starts again', async () => {
    const client = await RawClient.register(front);
    const tokens = await client.connect(who);
    const jwks = async () => JSON.stringify(await (await fetch(`${front.origin}/oauth/jwks`)).json());
    const before = await jwks();
    const rotated = await overmind(['keys', 'rotate', '--json'], { ...environment, DATA_DIR: await emptyFolder() });
    assert.equal(rotated.code, 0, rotated.stderr);
    const { signing_key: kid } = JSON.parse(rotated.stdout);
    assert.ok(!before.includes(kid));
    await Promise.all(running.map(({ process }) => process.stop()));
    running = await Promise.all(ports.map(start));
    assert.ok((await jwks()).includes(kid));
    assert.equal((await mcp(front, tokens.access_token)).status, 200);
    assert.equal((await client.refresh(tokens.refresh_token)).status, 200);
    assert.equal((await mcp(front, (await client.connect(who)).access_token)).status, 200);
  });
});
