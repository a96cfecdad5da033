import assert from 'node:assert/strict';
import { startServer, type TestServer } from '../support/mcp.ts';
import { given } from '../support/given.ts';
import { everywhere } from '../support/lane.ts';
import { csrfOf, signedIn, Site } from './support/site.ts';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>{{7*7}}\u202e`;

describe('Forms of the Console', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  it('are refused without their token, and with that of another session', async () => {
    const { site } = await signedIn(server);
    const foreign = csrfOf(await (await signedIn(server)).site.get('/projects'));
    for (const csrf of ['', 'x', foreign]) {
      assert.equal((await site.post('/projects', { csrf, action: 'create', name: 'No' })).status, 403, csrf);
    }
  });

  it('are refused when another site sends them, whatever else is right', async () => {
    const { site } = await signedIn(server);
    const csrf = csrfOf(await site.get('/projects'));
    const fields = { csrf, action: 'create', name: 'No' };
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: server.origin.replace('http:', 'ftp:').replace(/:\d+$/, ':1') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) {
      assert.equal((await site.post('/projects', fields, headers)).status, 403, JSON.stringify(headers));
    }
    assert.equal((await site.post('/projects', fields)).status, 303);
  });

  it('are refused when too large, of another type, or of an unknown action', async () => {
    const { site } = await signedIn(server);
    const csrf = csrfOf(await site.get('/projects'));
    const post = (fields: Record<string, string>, headers = {}) => site.post('/projects', fields, headers);
    assert.equal((await post({ csrf, action: 'create', name: 'x'.repeat(70_000) })).status, 413);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, '1']));
    assert.equal((await post({ csrf, ...many })).status, 413);
    assert.equal((await post({ csrf }, { 'content-type': 'application/json' })).status, 415);
    assert.equal((await post({ csrf, action: 'constructor' })).status, 400);
    assert.equal((await post({ csrf, action: 'create', name: 'a\0b' })).status, 400);
    const page = await post({ csrf, action: 'create', name: 'line\nbreak' });
    assert.equal(page.status, 400);
    assert.match(page.html, /no control characters/);
  });

  it('show a fault beside what was typed, and nothing is done', async () => {
    const { site, account } = await signedIn(server);
    const page = await site.submit('/projects', 'create', { name: 'Kept', slug: 'Not A Slug' });
    assert.equal(page.status, 400);
    assert.match(page.html, /value="Kept"/);
    const { projects } = await server.services.projects.listAccessible({ accountId: account.id }, { limit: 10 });
    assert.equal(projects.length, 1);
  });

  it('ask before they take something away', async () => {
    const { site, project } = await signedIn(server);
    const path = `/settings?projectId=${project.id}`;
    const asked = await site.submit(path, 'deactivate', { subject: project.name });
    assert.equal(asked.status, 200);
    assert.match(asked.html, /Deactivate the project\?/);
    assert.equal((await server.services.projects.get(project.id)).isActive, true);
    const done = await site.submit(path, 'deactivate', { confirmed: 'yes' });
    assert.equal(done.location, '/projects?notice=deactivated');
    assert.equal((await site.get(path)).status, 404);
  });

  it('cannot be framed, cached or scripted from elsewhere', async () => {
    const { site } = await signedIn(server);
    const { headers } = await site.get('/keys');
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('cache-control'), 'no-store');
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      assert.ok(policy.includes(part), part);
    }
    assert.ok(!policy.includes('unsafe'));
  });
});

describe('Names a stranger chose', () => {
  it('stay text on every page that shows them', async () => {
    const server = await startServer();
    const { site, project, account } = await signedIn(server, { projectName: HOSTILE });
    await server.services.apiKeys.create({
      accountId: account.id,
      projectId: project.id,
      name: HOSTILE,
      permissions: { read: true, write: false },
    });
    for (const path of [
      '/',
      '/projects',
      `/keys?projectId=${project.id}`,
      `/settings?projectId=${project.id}`,
      '/traces?notice=%3Cscript%3E',
    ]) {
      const { html } = await site.get(path);
      assert.ok(!html.includes('<script>alert'), path);
      assert.ok(!html.includes('<img src=x'), path);
      assert.ok(!html.includes('\u202e'), path);
      assert.ok(!html.includes('49'.concat('<')), path);
    }
    const listed = (await site.get(`/keys?projectId=${project.id}`)).html;
    assert.match(listed, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
    await server.stop();
  });
});

describe('An address that is not there', () => {
  it('shows a page to a browser, and a problem document to a program', async () => {
    const server = await startServer();
    const page = await new Site(server.origin).get('/nonsense', { accept: 'text/html,*/*;q=0.8' });
    assert.equal(page.status, 404);
    assert.match(page.html, /There is no page at this address/);
    const problem = await fetch(`${server.origin}/nonsense`);
    assert.equal(problem.headers.get('content-type'), 'application/problem+json');
    assert.equal(problem.status, 404);
    await server.stop();
  });
});

describe('What belongs to others', () => {
  it('is not found: projects, keys, traces, datasets and connections', async () => {
    const server = await startServer();
    const mine = await signedIn(server);
    const theirs = await given.project({ server });
    const { key } = await server.services.apiKeys.create({
      accountId: theirs.account.id,
      name: 'theirs',
      permissions: { read: true, write: true },
    });
    for (const path of ['/', '/traces', '/datasets', '/jobs', '/settings', '/audit', '/keys', '/catalog']) {
      assert.equal((await mine.site.get(`${path}?projectId=${theirs.project.id}`)).status, 404, path);
    }
    const revoked = await mine.site.submit('/keys', 'revoke', { key: key.id, confirmed: 'yes' });
    assert.equal(revoked.status, 404);
    assert.equal(
      (await server.services.apiKeys.list({ accountId: theirs.account.id })).every(
        (one) => one.revokedAt === undefined,
      ),
      true,
    );
    const made = await mine.site.submit('/keys', 'create', { name: 'mine', scope: theirs.project.id, access: 'read' });
    assert.equal(made.status, 404);
    await server.stop();
  });
});

describe('Keys made at the Console', () => {
  it('are shown once, work at once, and stop when revoked', async () => {
    const server = await startServer();
    const { site, project, account } = await signedIn(server);
    const made = await site.submit('/keys', 'create', {
      name: 'mine',
      scope: project.id,
      access: 'read',
      days: '7',
      ips: '127.0.0.0/8',
    });
    const secret = /ovr_[A-Za-z0-9_-]{43}/.exec(made.html)?.[0] ?? assert.fail('no key is shown');
    const call = () =>
      fetch(`${server.origin}/api/mcp/`, {
        method: 'POST',
        headers: {
          'x-api-key': secret,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    assert.equal((await call()).status, 200);
    assert.ok(!(await site.get('/keys')).html.includes(secret));
    const [key] = await server.services.apiKeys.list({ accountId: account.id });
    assert.deepEqual(
      [key?.allowedIps, key?.permissions, key?.projectId],
      [['127.0.0.0/8'], { read: true, write: false }, project.id],
    );
    const gone = await site.submit('/keys', 'revoke', { key: key?.id ?? '', confirmed: 'yes' });
    assert.equal(gone.location, '/keys?notice=key_revoked');
    await everywhere(async () => assert.equal((await call()).status, 401));
    assert.ok(!JSON.stringify(server.log).includes(secret));
    await server.stop();
  });
});

describe('Members', () => {
  it('are invited by a link that sets their password, and the last one cannot leave', async () => {
    const server = await startServer();
    const { site, project, account } = await signedIn(server);
    const path = `/settings?projectId=${project.id}`;
    const last = await site.submit(path, 'remove_member', { member: account.id, confirmed: 'yes' });
    assert.equal(last.status, 400);
    const email = `guest-${project.id}@example.com`;
    const invited = await site.submit(path, 'invite', { email });
    const token = /token(?:=|&#x3D;)([A-Za-z0-9_-]{43})/.exec(invited.html)?.[1] ?? assert.fail('no link is shown');
    const guest = new Site(server.origin);
    const password = 'a password of my own';
    assert.equal(
      (await guest.submit(`/setup?token=${token}`, 'set_password', { token, password, repeated: password })).status,
      303,
    );
    assert.equal((await guest.get(`/?projectId=${project.id}`)).status, 200);
    const member = await server.services.accounts.findByEmail(email);
    await site.submit(path, 'remove_member', { member: member?.id ?? '', confirmed: 'yes' });
    assert.equal((await guest.get(`/?projectId=${project.id}`)).status, 404);
    await server.stop();
  });
});

describe('The tool form of the catalog', () => {
  it('calls with reading rights in the chosen project, shows both views and is recorded', async () => {
    const server = await startServer();
    const { site, project } = await signedIn(server);
    const path = `/catalog/tools/list_projects?projectId=${project.id}`;
    const page = await site.submit(path, 'call', { 'arg.limit': '5' });
    assert.equal(page.status, 200);
    assert.match(page.html, /What an agent sees/);
    assert.ok(page.html.includes(project.id));
    const bad = await site.submit(path, 'call', { 'arg.limit': 'many' });
    assert.equal(bad.status, 400);
    const writes = `/catalog/tools/create_dataset_from_traces?projectId=${project.id}`;
    assert.equal((await site.submit(writes, 'call', { 'arg.name': 'x' })).status, 400);
    await server.services.agentCalls.flush();
    const audit = await site.get('/audit?name=list_projects');
    assert.match(audit.html, /tool list_projects/);
    await server.stop();
  });
});
