import assert from 'node:assert/strict';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { addressOf } from '../../src/console/addresses.ts';
import { PASSWORD } from '../console/support/site.ts';
import { pkce, RawClient, register } from '../oauth/support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startServer, type TestServer } from '../support/mcp.ts';
import { launch } from './chromium.ts';
import { HOSTILE, inhabit, signIn, type Inhabited } from './inhabited.ts';
import { listen, look } from './look.ts';

/** A picture of a long page takes its time on a machine that has other things to do. */
const PATIENCE_MS = 180_000;

describe('A walk through the Console', function () {
  // Chromium on a busy machine.
  this.timeout(1_800_000);
  let server: TestServer;
  let browser: Browser;
  let home: Inhabited;

  before(async () => {
    const port = await freePort();
    const resource = `http://127.0.0.1:${port}/api/mcp/`;
    browser = await launch();
    server = await startServer({ environment: { PORT: String(port), MCP_SERVER_URL: resource } });
    home = await inhabit(server);
  });
  after(async () => {
    await browser.close();
    await server.stop();
  });

  /** A browser of its own whose pages must be whole, accessible and silent. */
  const walk = async (visit: (page: Page, see: (name: string) => Promise<void>) => Promise<void>) => {
    const context = await browser.newContext();
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const said = listen(page);
    const faults: string[] = [];
    await visit(page, async (name) => void faults.push(...(await look(page, name))));
    assert.deepEqual({ faults, said }, { faults: [], said: [] });
    await context.close();
  };
  const go = (page: Page, address: string) => page.goto(server.origin + address);

  it('finds every page of a busy project whole, accessible and silent', () =>
    walk(async (page, see) => {
      await signIn(page, server.origin, home.email);
      for (const [name, address] of Object.entries(home.addresses)) {
        await go(page, address);
        await see(name);
      }
      await go(page, home.addresses['trace'] ?? '');
      await page.locator('.waterfall summary').nth(1).click();
      await see('trace-open');
      await page.locator('summary', { hasText: 'Support agent' }).click();
      await see('menu-open');
      await page.setViewportSize({ width: 360, height: 740 });
      await page.locator('summary', { hasText: 'Menu' }).click();
      assert.ok(await page.getByRole('link', { name: 'Agent calls' }).isVisible());
    }));

  it('finds every page of someone who has nothing yet likewise', () =>
    walk(async (page, see) => {
      const { accounts, projects } = server.services;
      const email = 'newcomer@example.com';
      const account = await accounts.create({ email, password: PASSWORD });
      await signIn(page, server.origin, email);
      for (const name of ['home', 'projects', 'keys', 'connections', 'traces', 'audit'] as const) {
        await go(page, addressOf(name));
        await see(`newcomer-${name}`);
      }
      const project = await projects.create({ accountId: account.id, name: 'Fresh' });
      const pages = ['home', 'traces', 'sessions', 'datasets', 'jobs', 'keys', 'audit', 'settings', 'connect'] as const;
      for (const name of pages) {
        await go(page, addressOf(name, { projectId: project.id }));
        await see(`fresh-${name}`);
      }
    }));

  it('finds what follows a form likewise', () =>
    walk(async (page, see) => {
      const projectId = home.world.project.id;
      await signIn(page, server.origin, home.email);
      await go(page, addressOf('projects'));
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Support agent');
      await page.getByLabel('Slug').fill('support-agent');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('alert').waitFor();
      await see('projects-fault');
      await go(page, addressOf('keys', { projectId }));
      await page.getByLabel('Name').fill(HOSTILE.slice(0, 100));
      await page.getByRole('button', { name: 'Make the key' }).click();
      await page.getByText('shown this once').waitFor();
      await see('key-made');
      await go(page, addressOf('settings', { projectId }));
      await page.getByLabel('Invite by e-mail address').fill('guest@example.com');
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByText('Hand this link on').waitFor();
      await see('invited');
      await go(page, addressOf('settings', { projectId }));
      await page.getByRole('button', { name: 'Deactivate…' }).click();
      await see('confirm');
      await go(page, addressOf('account'));
      await page.getByLabel('Current password').fill('not the right one');
      await page.getByLabel('New password').fill('something quite long');
      await page.getByLabel('The same again').fill('something quite long');
      await page.getByRole('button', { name: 'Change' }).click();
      await page.getByRole('alert').waitFor();
      await see('account-fault');
      await go(page, home.addresses['catalog-tool'] ?? '');
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await page.getByText('What an agent sees').waitFor();
      await see('catalog-tool-called');
    }));

  it('finds the pages of strangers likewise', () =>
    walk(async (page, see) => {
      await go(page, addressOf('sign_in'));
      await see('sign-in');
      await page.getByLabel('E-mail address').fill('nobody@example.com');
      await page.getByLabel('Password').fill('not the right one');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      await see('sign-in-fault');
      await go(page, home.invitation);
      await see('set-password');
      await go(page, addressOf('password_link', { token: 'x' }));
      await see('dead-link');
      const first = await server.services.accounts.create({ email: 'first@localhost' });
      const { token } = await server.services.sessions.issueLink(first.id, 'first_run');
      await go(page, addressOf('password_link', { token }));
      await see('first-run');
    }));

  it('finds the pages of consent likewise', () =>
    walk(async (page, see) => {
      const client = await RawClient.register({ ...server, resource: `${server.origin}/api/mcp/` });
      await page.goto(client.authorizeUrl(pkce()).href);
      await see('consent-sign-in');
      await page.getByLabel('E-mail address').fill(home.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Connect', exact: true }).waitFor();
      await see('consent-read');
      const redirect = `https://app.example.test/callback/${'of-great-length/'.repeat(8)}`;
      const { body } = await register({ ...server, resource: '' }, { client_name: HOSTILE, redirect_uris: [redirect] });
      const hostile = new RawClient(
        { ...server, resource: `${server.origin}/api/mcp/` },
        String(body['client_id']),
        redirect,
      );
      await page.goto(hostile.authorizeUrl(pkce(), { scope: 'overmind:read overmind:write' }).href);
      await page.getByRole('button', { name: 'Connect', exact: true }).waitFor();
      await see('consent-write');
      await go(page, `/oauth/interaction/${'A'.repeat(43)}`);
      await see('consent-gone');
      await page.goto(client.authorizeUrl(pkce(), { redirect_uri: 'https://evil.test/' }).href);
      await see('consent-refused');
    }));

  it('shows the same pages without a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await signIn(page, server.origin, home.email);
    await go(page, home.addresses['traces'] ?? '');
    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByRole('button', { name: 'Filter' }).click();
    assert.equal(await page.locator('#rows tbody tr').count(), 2);
    await page.locator('#rows tbody a', { hasText: 'handle ticket' }).first().click();
    assert.equal(await page.locator('.waterfall > li').count(), 3);
    await page.locator('summary', { hasText: 'Support agent' }).click();
    assert.ok(await page.getByRole('link', { name: 'Manage projects' }).isVisible());
    await go(page, home.addresses['catalog-tool'] ?? '');
    await page.getByLabel('limit').fill('2');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    assert.match(await page.locator('pre').first().innerText(), /"n":2/);
    await context.close();
  });

  it('searches while one types and keeps the address', async () => {
    const context = await signedIn(browser, server, home);
    const page = await context.newPage();
    await go(page, home.addresses['catalog'] ?? '');
    await page.getByLabel('Search').fill('list_projects');
    await eventually(async () => assert.equal(await page.locator('#results tbody tr').count(), 1));
    await page.waitForURL(/search=list_projects/);
    await context.close();
  });

  it('follows a job without being asked', async () => {
    const context = await signedIn(browser, server, home);
    const page = await context.newPage();
    await go(page, home.addresses['job-running'] ?? '');
    assert.equal(await page.locator('progress').getAttribute('value'), '24');
    const job = server.services.db('jobs').where({ status: 'running' });
    await job.clone().update({ progress: JSON.stringify({ stage: 'landing', rows: 2_500, total_rows: 5_000 }) });
    await page.locator('progress[value="50"]').waitFor();
    await context.close();
  });

  it('is worked with the keyboard alone', async () => {
    const context = await signedIn(browser, server, home);
    const page = await context.newPage();
    await go(page, home.addresses['traces'] ?? '');
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Skip to the content');
    await page.keyboard.press('Enter');
    await tabTo(page, /^handle ticket$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/traces\/[0-9a-f]{32}/);
    await tabTo(page, /execute_tool|chat small/);
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.waterfall details[open]').count(), 1);
    await go(page, addressOf('connections'));
    await tabTo(page, /^Revoke…$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Revoke a connection?' }).waitFor();
    await tabTo(page, /^Cancel$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connections' }).waitFor();
    await context.close();
  });

  it('asks before it takes something away, and then does it', async () => {
    const context = await signedIn(browser, server, home);
    const page = await context.newPage();
    const { connections } = server.services;
    await go(page, addressOf('connections'));
    await page.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('heading', { name: 'Revoke a connection?' }).waitFor();
    assert.equal((await connections.list(home.world.account.id)).length, 1);
    await page.getByRole('button', { name: 'Revoke a connection' }).click();
    await page.getByText('The connection is revoked.').waitFor();
    assert.equal((await connections.list(home.world.account.id)).length, 0);
    await context.close();
  });
});

async function signedIn(browser: Browser, server: TestServer, { email }: Inhabited): Promise<BrowserContext> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, server.origin, email);
  await page.close();
  return context;
}

async function tabTo(page: Page, words: RegExp): Promise<void> {
  for (let press = 0; press < 80; press += 1) {
    await page.keyboard.press('Tab');
    if (words.test(await focused(page))) return;
  }
  assert.fail(`the keyboard does not reach ${words.source}`);
}

function focused(page: Page): Promise<string> {
  return page.evaluate<string>(
    'document.activeElement === document.body ? "" : (document.activeElement?.textContent?.trim() ?? "")',
  );
}
