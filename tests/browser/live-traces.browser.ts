import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { addressOf } from '../../src/console/addresses.ts';
import { PASSWORD } from '../console/support/site.ts';
import { exportSpans } from '../domain/observability/support/export.ts';
import { eventually } from '../support/eventually.ts';
import { given, type World } from '../support/given.ts';
import { startServer, type TestServer } from '../support/mcp.ts';
import { launch } from './chromium.ts';
import { signIn } from './inhabited.ts';
import { listen, look } from './look.ts';

const PATIENCE_MS = 60_000;
/** Streams of this server end after a few seconds instead of minutes. */
const LIFETIME_MS = 6_000;

describe('The traces page of the Console', function () {
  this.timeout(600_000);
  let server: TestServer;
  let browser: Browser;
  let world: World;

  before(async () => {
    browser = await launch();
    server = await startServer({ processes: 1, liveStreams: { lifetimeMs: LIFETIME_MS } });
    const account = await server.services.accounts.create({ email: 'watcher@example.com', password: PASSWORD });
    world = await given.project({ server, account, name: 'Watched' });
    await exportSpans(world, [{ name: 'there before', attributes: { 'overmind.capability': 'support' } }]);
  });
  after(async () => {
    await browser.close();
    await server.stop();
  });

  /** The page as it stands open, with a mark that a reload would wipe out. */
  async function openPage(): Promise<{ page: Page; opened: string[]; said: string[] }> {
    const context = await browser.newContext();
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const said = listen(page);
    const opened: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/traces/live')) opened.push(request.url());
    });
    await signIn(page, server.origin, 'watcher@example.com');
    await page.goto(server.origin + addressOf('traces', { projectId: world.project.id }));
    await page.getByRole('status').getByText('New traces appear by themselves.').waitFor();
    await page.evaluate('window.isTheSamePage = true');
    return { page, opened, said };
  }
  const row = (page: Page, name: string) => page.locator('#rows').getByRole('link', { name, exact: true });
  const status = (page: Page) => page.locator('[data-follow][role="status"]');
  const isTheSame = (page: Page) => page.evaluate<boolean>('window.isTheSamePage === true');

  it('shows a new trace without being asked or loaded again, says so, and stays whole and accessible', async () => {
    const { page, said } = await openPage();
    await exportSpans(world, [{ name: 'just arrived' }]);
    await row(page, 'just arrived').waitFor();
    await status(page).getByText('1 new trace; the list is up to date.').waitFor();
    assert.equal(await isTheSame(page), true);
    assert.deepEqual(await look(page, 'traces-live'), []);
    assert.deepEqual(said, []);
    await page.context().close();
  });

  it('leaves the table alone while somebody is in it with the keyboard', async () => {
    const { page } = await openPage();
    await row(page, 'there before').focus();
    await exportSpans(world, [{ name: 'put off' }]);
    await status(page).getByText('1 new trace, shown once you leave the table.').waitFor();
    assert.equal(await row(page, 'put off').count(), 0);
    const focused = await page.evaluate<string>('document.activeElement.textContent');
    assert.equal(focused, 'there before');
    await page.getByLabel('Search').focus();
    await row(page, 'put off').waitFor();
    assert.equal(await page.evaluate<string>('document.activeElement.getAttribute("name")'), 'search');
    assert.equal(await isTheSame(page), true);
    await page.context().close();
  });

  it('goes on when its stream is over, and misses nothing meanwhile', async () => {
    const { page, opened } = await openPage();
    await eventually(() => assert.ok(opened.length >= 2), { withinMs: PATIENCE_MS, everyMs: 20 });
    await exportSpans(world, [{ name: 'in the second stream' }]);
    await row(page, 'in the second stream').waitFor();
    assert.equal(await isTheSame(page), true);
    await page.context().close();
  });
});
