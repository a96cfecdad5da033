import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { keepPicture } from './shots.ts';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const WIDE = { width: 1280, height: 860 };
const NARROW = { width: 360, height: 740 };

/** Each size and each scheme is asked about everything once; the other two combinations only bring other colours. */
const WAYS = [
  { name: 'desk-light', viewport: WIDE, colorScheme: 'light', asks: 'all' },
  { name: 'desk-dark', viewport: WIDE, colorScheme: 'dark', asks: 'nothing' },
  { name: 'phone-dark', viewport: NARROW, colorScheme: 'dark', asks: 'all' },
  { name: 'phone-light', viewport: NARROW, colorScheme: 'light', asks: 'nothing' },
] as const;

/** Looks at the open page in both sizes and both schemes, keeps pictures, and tells what is wrong with it. */
export async function look(page: Page, name: string): Promise<string[]> {
  await page.waitForSelector('html[data-ready="1"]');
  const faults: string[] = [];
  for (const way of WAYS) {
    await page.emulateMedia({ colorScheme: way.colorScheme });
    await page.setViewportSize(way.viewport);
    await keepPicture(page, `${name}-${way.name}`);
    const width = await page.evaluate<{ page: number; window: number }>(
      '({ page: document.documentElement.scrollWidth, window: document.documentElement.clientWidth })',
    );
    if (width.page > width.window)
      faults.push(`${name}-${way.name}: ${width.page} px wide in a window of ${width.window}`);
    if (way.asks === 'all') faults.push(...(await ask(page, `${name}-${way.name}`)));
  }
  await page.setViewportSize(WIDE);
  return faults;
}

async function ask(page: Page, name: string): Promise<string[]> {
  // Otherwise each question opens a page of its own to add up the answers, which costs more than asking.
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).setLegacyMode(true).analyze();
  return violations.map(
    ({ id, nodes }) =>
      `${name}: ${id} ${nodes[0]?.target.join(' ') ?? ''} (${nodes.length}) ${nodes[0]?.html.slice(0, 160) ?? ''}`,
  );
}

/** Everything the page says at its console, and every dialog it opens. */
export function listen(page: Page): string[] {
  const said: string[] = [];
  page.on('console', (message) => {
    // The browser itself reports the status of a page that refuses something.
    if (!/status of 4\d\d/.test(message.text())) said.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => void said.push(`${page.url()}: ${error.message}`));
  page.on('dialog', (dialog) => {
    said.push(`${page.url()}: dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  return said;
}
