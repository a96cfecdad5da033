import assert from 'node:assert/strict';
import { newId } from '../../src/kernel/ids.ts';
import { given } from '../support/given.ts';
import { rpc, startServer } from '../support/mcp.ts';

const toolNames = (result: Readonly<Record<string, unknown>> | undefined) =>
  // because tools/list answers tools with names
  ((result?.['tools'] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);

describe('credentials on the MCP route', () => {
  it('asks for a key with 401 and a challenge that is no Bearer challenge', async () => {
    const world = await given.project();
    for (const key of [undefined, `ovr_${'A'.repeat(43)}`]) {
      const answer = await rpc(world.server.origin, { method: 'tools/list', ...(key !== undefined && { key }) });
      assert.equal(answer.status, 401);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^ApiKey /);
    }
  });

  it('accepts a key as a bearer token', async () => {
    const { server, key } = await given.project();
    const answer = await rpc(server.origin, { method: 'ping', headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.result, {});
  });

  for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded'] as const) {
    it(`refuses a key outside its addresses, whatever ${header} claims`, async () => {
      const { server, key } = await given.project({ allowedIps: ['203.0.113.7'] });
      const claim = header === 'forwarded' ? 'for=203.0.113.7' : '203.0.113.7';
      const answer = await rpc(server.origin, { key, method: 'tools/list', headers: { [header]: claim } });
      assert.equal(answer.status, 403);
      assert.equal(answer.error?.data?.['code'], 'authentication_failed');
    });
  }

  it('believes a trusted proxy, and of a forged chain only the address the proxy saw', async () => {
    const server = await startServer({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
    const { key } = await given.project({ server, allowedIps: ['203.0.113.7'] });
    const status = async (chain: string) =>
      (await rpc(server.origin, { key, method: 'tools/list', headers: { 'x-forwarded-for': chain } })).status;
    assert.equal(await status('203.0.113.7'), 200);
    assert.equal(await status('198.51.100.1, 203.0.113.7'), 200);
    assert.equal(await status('203.0.113.7, 198.51.100.1'), 403);
    await server.stop();
  });
});

describe('rate limit', () => {
  it('answers 429 with Retry-After to the key that passed its limit, and others go on', async () => {
    const environment = { RATE_LIMIT_REQUESTS: '100', RATE_LIMIT_SECONDS: '60' };
    // Every process counts for itself.
    const server = await startServer({ environment, processes: 1 });
    const [busy, calm] = [await given.project({ server }), await given.project({ server })];
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => busy.rpc('tools/call', { name: 'list_projects' })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(refused.length, 200);
    assert.ok(answers.every(({ status, result }) => status === 429 || result?.['isError'] !== true));
    for (const { headers, error } of refused) {
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.equal(error?.data?.['code'], 'rate_limited');
      assert.equal(error?.data?.['retryable'], true);
    }
    assert.equal((await calm.rpc('tools/list')).status, 200);
    await server.stop();
  });
});

describe('permissions', () => {
  it('hide write tools from a read key and refuse them by name, before their arguments are looked at', async () => {
    const reader = await given.project({ permissions: { read: true, write: false } });
    const writer = await given.project();
    const [seen, all] = [await reader.rpc('tools/list'), await writer.rpc('tools/list')];
    assert.ok(toolNames(all.result).includes('create_dataset_from_traces'));
    assert.ok(!toolNames(seen.result).includes('create_dataset_from_traces'));
    assert.ok(toolNames(seen.result).includes('query_traces'));
    await reader.refuses('create_dataset_from_traces', { nonsense: true }, { code: 'permission_denied' });
  });

  it('list tools in the same order on every call and server', async () => {
    const world = await given.project();
    const elsewhere = await startServer();
    const other = await given.project({ server: elsewhere });
    const lists = await Promise.all(Array.from({ length: 25 }, () => world.rpc('tools/list')));
    const expected = JSON.stringify((await other.rpc('tools/list')).result);
    for (const { result } of lists) assert.equal(JSON.stringify(result), expected);
    const names = toolNames(lists[0]?.result);
    assert.deepEqual(names, [...names].sort());
    await elsewhere.stop();
  });
});

describe('projects of a credential', () => {
  it('lets an account key alternate between its projects without any memory between calls', async () => {
    const caller = await given.account();
    const [one, two] = [
      await given.project({ account: caller.account, name: 'One' }),
      await given.project({ account: caller.account, name: 'Two' }),
    ];
    for (const { project } of [one, two, one, two]) {
      const uri = `overmind://project/current?project_id=${project.id}`;
      assert.equal((await caller.read(uri))['name'], project.name);
      await caller.call('query_traces', { project_id: project.id });
    }
    await caller.refuses('query_traces', {}, { code: 'project_required' });
  });

  it('answers foreign, unknown and malformed projects alike, and never another project’s data', async () => {
    const caller = await given.account();
    const foreign = await given.project();
    const answers = new Set<string>();
    for (const id of [foreign.project.id, newId(), 'nonsense']) {
      const error = await caller.refusal('query_traces', { project_id: id });
      assert.equal(error.code, 'project_required');
      answers.add(JSON.stringify(error));
    }
    assert.equal(answers.size, 1);
    const key = await given.project();
    await key.refuses('query_traces', { project_id: foreign.project.id }, { code: 'project_required' });
    await key.call('query_traces', { project_id: key.project.id });
  });

  it('ends with the membership, also in the middle of a session', async () => {
    const world = await given.project();
    const caller = await world.withAccountKey();
    const args = { project_id: world.project.id };
    await caller.call('query_traces', args);
    await world.services.projects.removeMember(world.project.id, world.account.id);
    await caller.refuses('query_traces', args, { code: 'project_required' });
    assert.equal((await world.rpc('tools/list')).status, 403);
  });
});

describe('the audit', () => {
  it('keeps one row per operation with its outcome and without its arguments', async () => {
    const world = await given.project();
    await world.call('query_traces', { search: 'a-very-private-word' });
    await world.refuses('query_traces', { limit: 0 }, { code: 'invalid_input' });
    await world.read('overmind://project/current');
    await world.services.agentCalls.flush();
    // Each process writes its own, so ids tell no order among them.
    const rows = await world.services.db('agent_calls').where({ project_id: world.project.id }).orderBy('name');
    assert.deepEqual(
      rows.map(({ kind, name, outcome, error_code: code }) => [kind, name, outcome, code].join()).toSorted(),
      ['resource,current_project,ok,', 'tool,query_traces,error,invalid_input', 'tool,query_traces,ok,'],
    );
    for (const row of rows) {
      assert.equal(row.account_id, world.account.id);
      assert.ok(row.duration_ms > 0);
    }
    assert.ok(!JSON.stringify(rows).includes('private'));
  });
});
