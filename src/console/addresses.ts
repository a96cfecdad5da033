import { pages, type PageName } from '../../generated/console/pages.ts';

const PATHS: ReadonlyMap<string, string> = new Map(pages.map(({ name, path }) => [name, path]));

/** The address of a page: members that stand in its path fill it, the others become its query; empty ones are left out. */
export function addressOf(page: PageName, values: Readonly<Record<string, string | undefined>> = {}): string {
  const template = PATHS.get(page);
  if (template === undefined) throw new Error(`There is no page ${page}.`);
  const query = new URLSearchParams();
  let path = template;
  for (const [name, value] of Object.entries(values)) {
    if (template.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(value ?? ''));
    else if (value !== undefined && value !== '') query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/**
 * A place of this server to return to, or the start page. An address that a browser would read as another site's, in
 * any of its spellings, is not followed.
 */
export function safeReturn(text: string): string {
  if (!text.startsWith('/') || /[\\\p{C}]/u.test(text) || text.startsWith('//')) return '/';
  const url = URL.canParse(text, 'http://console.invalid') ? new URL(text, 'http://console.invalid') : undefined;
  if (url?.origin !== 'http://console.invalid' || url.pathname.startsWith('//')) return '/';
  return `${url.pathname}${url.search}`;
}
