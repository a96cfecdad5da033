import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { run } from '../support-back/command.ts';
import { REPOSITORY } from '../support-back/workshop.ts';

/** A wide one, a plain one and a guide; axe takes seconds for each. */
const PAGES = ['tools/list_projects', 'errors/project_required', 'guides/testing', 'changelog'];

describe('the documentation in a browser', function () {
  this.timeout(180_000);
  let browser: Browser;
  const folder = mkdtempSync(join(tmpdir(), 'docs-page-'));

  before(async () => {
    assert.equal((await run(REPOSITORY, 'docs', '--out', folder)).code, 0);
    browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
  });

  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(pathToFileURL(join(folder, `${path}.html`)).href);
    return page;
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has nothing that axe objects to, ${colorScheme}`, async () => {
      for (const path of PAGES) {
        const page = await open(path, { colorScheme });
        const { violations } = await new AxeBuilder({ page }).analyze();
        assert.deepEqual(
          violations.map(({ id, nodes }) => [path, id, nodes.map(({ html }) => html)]),
          [],
        );
        await page.context().close();
      }
    });
  }

  it('needs no sideways scrolling at 360 pixels', async () => {
    for (const path of PAGES) {
      const page = await open(path, { viewport: { width: 360, height: 740 } });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path);
      await page.context().close();
    }
  });

  it('reads and navigates without JavaScript, and shows no search that could not work', async () => {
    const page = await open('index', { javaScriptEnabled: false });
    assert.equal(await page.locator('#search').isVisible(), false);
    await page.getByRole('link', { name: 'List datasets' }).first().click();
    assert.equal(await page.locator('h1').innerText(), 'List datasets');
    await page.context().close();
  });

  it('finds a tool by words of its page, from any page', async () => {
    const page = await open('errors/project_required');
    await page.getByLabel('Search').fill('list datasets');
    await page.locator('#found a').first().waitFor();
    await page.getByLabel('Search').press('Enter');
    await page.waitForURL(/list_datasets\.html$/u);
    await page.getByLabel('Search').fill('zzzzzz');
    assert.match(await page.locator('#found').innerText(), /Nothing found/u);
    await page.context().close();
  });
});
