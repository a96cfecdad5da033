import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';

const FOLDER = process.env['SHOTS'] ?? resolve(import.meta.dirname, '../../.cache/screenshots');

/** Keeps a picture of the whole page for people to look at. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true });
}
