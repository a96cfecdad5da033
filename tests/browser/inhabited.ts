import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { addressOf } from '../../src/console/addresses.ts';
import type { Db } from '../../src/db/database.ts';
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
  /** The one-time link of somebody who was invited. */
  readonly invitation: string;
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
  await sendLongTrace(server.origin, world.key);
  const { traces } = await world.call('query_traces', { search: 'handle', limit: 1 });
  await world.refuses('query_traces', { limit: 0 }, { code: 'invalid_input' });
  const made = await world.call('create_dataset_from_traces', { name: HOSTILE, search: 'handle' });
  await world.finishJob(made.job);
  const failing = await world.call('create_dataset_from_traces', { name: 'Refunds', search: 'handle' });
  await world.finishJob(failing.job);
  const moving = await world.call('create_dataset_from_traces', { name: 'Parcels', search: 'handle' });
  await world.finishJob(moving.job);
  await pretend(server.services.db, { failed: failing.dataset.id, running: moving.dataset.id });
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
    scopes: ['overmind:read', 'overmind:write'],
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
    invitation: addressOf('password_link', { token: link.token }),
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
      'trace-long': addressOf('trace', { ...at, trace_id: LONG_TRACE }),
      'traces-failed': addressOf('traces', { ...at, status: 'failed', order: 'slowest' }),
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
      'dataset-failed': addressOf('dataset', { ...at, dataset: failing.dataset.id }),
      'dataset-busy': addressOf('dataset', { ...at, dataset: moving.dataset.id }),
      'dataset-fault': addressOf('dataset', { ...at, dataset, sql: 'DROP TABLE t' }),
      jobs: addressOf('jobs', at),
      job: addressOf('job', { ...at, kind: 'dataset_run', id: dataset }),
      'job-failed': addressOf('job', { ...at, kind: 'dataset_run', id: failing.dataset.id }),
      'job-running': addressOf('job', { ...at, kind: 'dataset_run', id: moving.dataset.id }),
      'jobs-none': addressOf('jobs', { ...at, status: 'queued' }),
      audit: addressOf('audit', at),
      'audit-account': addressOf('audit'),
      'audit-none': addressOf('audit', { ...at, name: 'nothing_at_all' }),
      'sign-out': addressOf('sign_out'),
      'not-found': addressOf('trace', { ...at, trace_id: 'x' }),
      'choose-project': addressOf('traces'),
    },
  };
}

const LONG_TRACE = 'feed'.repeat(8);
const LONG_SPANS = 70;

/** An agent that thinks for long: nested steps, retries, names and values without end. */
async function sendLongTrace(origin: string, key: string): Promise<void> {
  const startMs = Date.now() - 600_000;
  const idOf = (index: number): string => (index + 1).toString(16).padStart(16, '0');
  const spans = Array.from({ length: LONG_SPANS }, (_, index) => ({
    traceId: LONG_TRACE,
    spanId: idOf(index),
    ...(index > 0 && { parentSpanId: idOf(Math.max(0, index - 1 - (index % 4))) }),
    name: index === 0 ? 'investigate refunds' : index === 5 ? HOSTILE : `step ${index}`,
    kind: 1,
    startTimeUnixNano: `${startMs + index * 1_700}000000`,
    endTimeUnixNano: `${startMs + (index === 0 ? 128_000 : index * 1_700 + 400 + ((index * 977) % 9_000))}000000`,
    attributes: [
      { key: 'session.id', value: { stringValue: `session-${'9'.repeat(60)}` } },
      { key: 'overmind.capability', value: { stringValue: 'support-triage' } },
      { key: 'gen_ai.request.model', value: { stringValue: 'large-model-with-a-rather-long-name-2026-11-30' } },
      { key: 'gen_ai.usage.input_tokens', value: { intValue: String(1_000_000 + index * 1_013) } },
      { key: 'gen_ai.usage.cost', value: { doubleValue: 0.0123 } },
      { key: 'note', value: { stringValue: HOSTILE } },
    ],
    status: index % 9 === 8 ? { code: 2, message: HOSTILE } : { code: 1 },
  }));
  const response = await fetch(`${origin}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  });
  assert.equal(response.status, 200, await response.text());
}

/** Leaves one job as a failure leaves it, and one as it is half way. */
async function pretend(db: Db, jobs: { readonly failed: string; readonly running: string }): Promise<void> {
  const message = `The source could not be read: ${'a very long reason, '.repeat(12)}and no more.`;
  await db('jobs').where({ subject_id: jobs.failed }).update({
    status: 'failed',
    attempt: 4,
    error_code: 'internal_error',
    error_message: message,
  });
  await db('datasets').where({ id: jobs.failed }).update({ state: 'error', error: message });
  await db('jobs')
    .where({ subject_id: jobs.running })
    .update({
      status: 'running',
      finished_at: null,
      // Long enough that no worker takes it over while the pages are looked at.
      lease_until: db.raw("now() + interval '1 day'"),
      progress: JSON.stringify({ stage: 'landing', rows: 1_200, total_rows: 5_000 }),
    });
  await db('datasets').where({ id: jobs.running }).update({ state: 'landing' });
}

export async function signIn(page: Page, origin: string, email: string): Promise<void> {
  await page.goto(`${origin}${addressOf('sign_in')}`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname === '/');
}
