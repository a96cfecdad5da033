import type { Page } from 'playwright-core';
import { addressOf } from '../../src/console/addresses.ts';
import { sendTraffic } from '../demo/agent-traffic.ts';
import { PASSWORD } from '../console/support/site.ts';
import { given, type World } from '../support/given.ts';
import type { TestServer } from '../support/mcp.ts';

/** A name that would do harm on a page that trusted it: markup, quotes, a text-order mark, no place to break. */
export const HOSTILE = `<img src=x onerror=alert(1)> "'>{{7*7}}\u202egnirts ${'long'.repeat(20)}`;

export interface Inhabited {
  readonly world: World;
  readonly email: string;
  readonly dataset: string;
  /** Every page with something on it, by a name of its own. */
  readonly addresses: Readonly<Record<string, string>>;
}

/** A project in which everything has happened at least once. */
export async function inhabit(server: TestServer): Promise<Inhabited> {
  const { accounts, sessions, apiKeys, oauth, projects } = server.services;
  const email = 'person.with.a.rather.long.address@example.com';
  const account = await accounts.create({ email, password: PASSWORD });
  const world = await given.project({ server, account, name: 'Support agent' });
  const projectId = world.project.id;
  await projects.create({ accountId: account.id, name: HOSTILE.slice(0, 255) });
  await sendTraffic(server.origin, world.key, 'JSON');
  const { traces } = await world.call('query_traces', { limit: 1 });
  await world.refuses('query_traces', { limit: 0 }, { code: 'invalid_input' });
  const made = await world.call('create_dataset_from_traces', { name: HOSTILE, search: 'handle' });
  await world.finishJob(made.job);
  await apiKeys.create({
    accountId: account.id,
    name: HOSTILE.slice(0, 120),
    permissions: { read: true, write: false },
  });
  await apiKeys.create({
    accountId: account.id,
    projectId,
    name: HOSTILE.slice(0, 120),
    permissions: { read: true, write: true },
    allowedIps: ['10.0.0.0/8', '2001:db8::/32'],
  });
  const other = await accounts.create({ email: 'someone.else@example.com' });
  await projects.addMember(projectId, other.id);
  await oauth.tokens.grant({
    accountId: account.id,
    clientId: 'client',
    clientName: HOSTILE.slice(0, 120),
    clientKind: 'registered',
    redirectHost: '127.0.0.1:53682',
    resource: 'http://127.0.0.1/api/mcp/',
    scopes: ['overmind:read', 'overmind:data:write'],
  });
  await server.services.agentCalls.flush();
  const session = (await server.services.observability.sessions.list(projectId, { limit: 1 })).sessions[0]?.id ?? '';
  const link = await sessions.issueLink(other.id, 'invitation');
  const dataset = made.dataset.id;
  const at = { projectId };
  return {
    world,
    email,
    dataset,
    addresses: {
      home: addressOf('home'),
      overview: addressOf('home', at),
      projects: addressOf('projects', at),
      settings: addressOf('settings', at),
      keys: addressOf('keys'),
      'project-keys': addressOf('keys', at),
      connections: addressOf('connections', at),
      connect: addressOf('connect', at),
      account: addressOf('account', at),
      catalog: addressOf('catalog', at),
      'catalog-none': addressOf('catalog', { ...at, search: 'nothing-at-all' }),
      'catalog-tool': addressOf('catalog_tool', { ...at, tool: 'query_traces' }),
      traces: addressOf('traces', at),
      'traces-none': addressOf('traces', { ...at, search: 'nothing at all' }),
      trace: addressOf('trace', { ...at, trace_id: traces[0]?.trace_id }),
      capability: addressOf('capability', { ...at, capability: 'support-triage' }),
      sessions: addressOf('sessions', at),
      session: addressOf('session', { ...at, session }),
      datasets: addressOf('datasets', at),
      dataset: addressOf('dataset', { ...at, dataset }),
      'dataset-query': addressOf('dataset', {
        ...at,
        dataset,
        sql: 'SELECT source_row, input FROM t ORDER BY source_row',
      }),
      'dataset-fault': addressOf('dataset', { ...at, dataset, sql: 'DROP TABLE t' }),
      jobs: addressOf('jobs', at),
      job: addressOf('job', { ...at, kind: 'dataset_run', id: dataset }),
      audit: addressOf('audit', at),
      'sign-out': addressOf('sign_out'),
      'set-password': addressOf('password_link', { token: link.token }),
      'dead-link': addressOf('password_link', { token: 'x' }),
      'not-found': addressOf('trace', { ...at, trace_id: 'x' }),
      'choose-project': addressOf('traces'),
    },
  };
}

export async function signIn(page: Page, origin: string, email: string): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname === '/');
}
