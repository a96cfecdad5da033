import { AxeBuilder } from '@axe-core/playwright';
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startServer, type TestServer } from '../support/mcp.ts';
import { launch } from './chromium.ts';
import { inhabit, signIn, type Inhabited } from './inhabited.ts';

const SHOTS = process.env['SHOTS'] ?? join(tmpdir(), 'overmind-console');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const PLACES = [
  { name: 'desk', viewport: { width: 1280, height: 860 }, colorScheme: 'light' },
  { name: 'phone', viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
] as const;

describe('A walk through the Console', function () {
  // Chromium on a busy machine.
  this.timeout(180_000);
  let server: TestServer;
  let browser: Browser;
  let home: Inhabited;

  before(async function () {
    this.timeout(120_000);
    await mkdir(SHOTS, { recursive: true });
    server = await startServer();
    [browser, home] = await Promise.all([launch(), inhabit(server)]);
  });
  after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const place of PLACES) {
    it(`finds every page whole, accessible and silent on a ${place.name}`, async function () {
      this.timeout(1_800_000);
      const { name, ...options } = place;
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const said = listen(page);
      await page.goto(`${server.origin}/sign-in`);
      const faults = await look(page, `${name}-sign-in`);
      await signIn(page, server.origin, home.email);
      for (const [title, address] of Object.entries(home.addresses)) {
        await page.goto(server.origin + address);
        faults.push(...(await look(page, `${name}-${title}`)));
      }
      // The browser itself reports the status of a page that is not there.
      const words = said.filter((line) => !/status of 404/.test(line));
      assert.deepEqual({ faults, words }, { faults: [], words: [] });
      await context.close();
    });
  }

  it('shows the same pages without a script', async function () {
    this.timeout(120_000);
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 860 } });
    const page = await context.newPage();
    await signIn(page, server.origin, home.email);
    await page.goto(server.origin + (home.addresses['traces'] ?? ''));
    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByRole('button', { name: 'Filter' }).click();
    assert.equal(await page.locator('#rows tbody tr').count(), 2);
    await page.locator('#rows tbody a').first().click();
    assert.equal(await page.locator('.waterfall > li').count(), 3);
    await page.getByText('Support agent').first().click();
    await page.goto(server.origin + (home.addresses['catalog-tool'] ?? ''));
    await page.getByLabel('limit').fill('2');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    assert.match(await page.locator('pre').first().innerText(), /"n":2/);
    await context.close();
  });

  it('searches while one types and keeps the address', async () => {
    const context = await signedIn(browser, server, home);
    const page = await context.newPage();
    await page.goto(server.origin + (home.addresses['catalog'] ?? ''));
    await page.getByLabel('Search').fill('list_projects');
    await page.waitForFunction('document.querySelectorAll("#results tbody tr").length === 1');
    assert.match(page.url(), /search=list_projects/);
    await context.close();
  });

  it('is worked with the keyboard alone', async () => {
    const context = await signedIn(browser, server, home);
    const page = await context.newPage();
    await page.goto(server.origin + (home.addresses['traces'] ?? ''));
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Skip to the content');
    await page.keyboard.press('Enter');
    for (let press = 0; press < 40 && (await focused(page)) !== 'handle ticket'; press += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/traces\/[0-9a-f]{32}/);
    for (let press = 0; press < 60 && !/execute_tool|chat small/.test(await focused(page)); press += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.waterfall details[open]').count(), 1);
    await context.close();
  });

  it('asks before it takes something away, and then does it', async () => {
    const context = await signedIn(browser, server, home);
    const page = await context.newPage();
    await page.goto(server.origin + (home.addresses['connections'] ?? ''));
    await page.getByRole('button', { name: /^Revoke/ }).click();
    assert.match(await page.locator('h1').innerText(), /Revoke a connection\?/);
    assert.deepEqual(await look(page, 'desk-confirm'), []);
    assert.equal((await server.services.connections.list(home.world.account.id)).length, 1);
    await page.getByRole('button', { name: 'Revoke a connection' }).click();
    await page.getByText('The connection is revoked.').waitFor();
    assert.equal((await server.services.connections.list(home.world.account.id)).length, 0);
    assert.deepEqual(await look(page, 'desk-connections-none'), []);
    await context.close();
  });
});

async function signedIn(browser: Browser, server: TestServer, { email }: Inhabited): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  await signIn(page, server.origin, email);
  await page.close();
  return context;
}

function listen(page: Page): string[] {
  const said: string[] = [];
  page.on('console', (message) => void said.push(`${page.url()}: ${message.text()}`));
  page.on('pageerror', (error) => void said.push(`${page.url()}: ${error.message}`));
  page.on('dialog', (dialog) => {
    said.push(`${page.url()}: dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  return said;
}

/** Takes a picture and tells what is wrong with the page. */
async function look(page: Page, name: string): Promise<string[]> {
  await page.waitForSelector('html[data-ready="1"]');
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
  const width = await page.evaluate<{ page: number; window: number }>(
    '({ page: document.documentElement.scrollWidth, window: document.documentElement.clientWidth })',
  );
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return [
    ...(width.page > width.window ? [`${name}: ${width.page} px wide in a window of ${width.window}`] : []),
    ...violations.map(
      ({ id, nodes }) =>
        `${name}: ${id} ${nodes[0]?.target.join(' ') ?? ''} (${nodes.length}) ${nodes[0]?.html.slice(0, 160) ?? ''}`,
    ),
  ];
}

function focused(page: Page): Promise<string> {
  return page.evaluate<string>(
    'document.activeElement === document.body ? "" : (document.activeElement?.textContent?.trim() ?? "")',
  );
}
