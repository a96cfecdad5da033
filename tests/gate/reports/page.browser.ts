import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import type { DiffReport } from '../../../codegen/diff/finding.ts';
import { renderReport } from '../../../codegen/report/render.ts';
import { hostileReport, report } from './sample.ts';

const REPORTS: Readonly<Record<string, DiffReport>> = {
  usual: report(),
  hostile: hostileReport(),
  quiet: report([], { entities: [], tokens: { before: 9000, after: 9000, changes: [] } }),
};

function openAll(page: Page): Promise<void> {
  return page.locator('details').evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')));
}

describe('the review page in a browser', function () {
  this.timeout(60_000);
  let browser: Browser;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'review-page-'));
    for (const [name, given] of Object.entries(REPORTS)) {
      writeFileSync(join(folder, `${name}.html`), renderReport(given, 'html', { color: false, root: 'schemas' }));
    }
    browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    });
  });

  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Open {
    readonly page: Page;
    /** Messages of the console, faults of the page and requests that left the file. */
    readonly noise: string[];
  }

  async function open(name: string, options: BrowserContextOptions = {}): Promise<Open> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const noise: string[] = [];
    page.on('console', (message) => noise.push(message.text()));
    page.on('pageerror', (error) => noise.push(error.message));
    page.on('dialog', (dialog) => {
      noise.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('file:') && !request.url().startsWith('data:')) noise.push(request.url());
    });
    await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
    return { page, noise };
  }

  for (const name of Object.keys(REPORTS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`has nothing that axe objects to: ${name}, ${colorScheme}`, async () => {
        const { page, noise } = await open(name, { colorScheme });
        await openAll(page);
        const { violations } = await new AxeBuilder({ page })
          .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'])
          .analyze();
        assert.deepEqual(
          violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
          [],
        );
        assert.deepEqual(noise, []);
        await page.context().close();
      });
    }

    it(`needs no sideways scrolling at 360 pixels: ${name}`, async () => {
      const { page } = await open(name, { viewport: { width: 360, height: 740 } });
      await openAll(page);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.equal(width, 360);
      await page.context().close();
    });
  }

  it('runs nothing and adds no element for hostile words', async () => {
    const { page, noise } = await open('hostile');
    await openAll(page);
    assert.equal(await page.locator('script, img, iframe, object, form, [onerror], a:not([href^="#"])').count(), 0);
    assert.deepEqual(noise, []);
    await page.context().close();
  });

  it('works by keyboard: skip link, contents, and each finding opens and closes', async () => {
    const { page } = await open('usual');
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent.trim()');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Skip to the findings');
    const links = await page.locator('nav a').count();
    for (let link = 0; link < links; link += 1) await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.closest("nav") !== null'), true);
    const findings = page.locator('summary');
    for (let at = 0; at < (await findings.count()); at += 1) {
      await page.keyboard.press('Tab');
      assert.equal(
        await findings.nth(at).evaluate((one) => one === one.ownerDocument.activeElement),
        true,
        `summary ${at}`,
      );
      const parent = findings.nth(at).locator('..');
      const before = await parent.getAttribute('open');
      await page.keyboard.press('Enter');
      assert.notEqual(await parent.getAttribute('open'), before);
      await page.keyboard.press('Space');
      assert.equal(await parent.getAttribute('open'), before);
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      assert.equal(outline, 'solid', 'focus is seen');
    }
    await page.context().close();
  });

  it('shows before and after line by line, the witness, the views and the way on', async () => {
    const { page } = await open('usual');
    await openAll(page);
    const text = await page.locator('main').innerText();
    for (const part of [
      '-         "maximum": 100',
      '+         "maximum": 50',
      '"limit": 51',
      'account/read · 2026-07-28',
      'Send at most 50, or page.',
      'description +120',
    ]) {
      assert.ok(text.includes(part), `${part} is missing in:\n${text}`);
    }
    await page.context().close();
  });
});
