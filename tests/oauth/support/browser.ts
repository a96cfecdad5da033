import assert from 'node:assert/strict';

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

/** What ends a visit: a page of the server, or a redirect that leaves it. */
export type Visit = { readonly page: Page } | { readonly left: URL };

/** Follows redirects, keeps cookies by path, and submits forms, like a browser that reads no script. */
export class Browser {
  readonly #origin: string;
  readonly #address: string | undefined;
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();

  /** With an address, the browser comes through a trusted proxy that says so. */
  constructor(origin: string, address?: string) {
    this.#origin = origin;
    this.#address = address;
  }

  async open(url: string | URL): Promise<Visit> {
    return this.#go(new URL(url, this.#origin), { method: 'GET' });
  }

  /** Fills the page's only form and presses the button. */
  async submit(
    page: Page,
    fields: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ): Promise<Visit> {
    const action = /<form method="post" action="([^"]+)"/.exec(page.html)?.[1];
    assert.ok(action !== undefined, `there is no form on ${page.url.pathname}: ${page.html.slice(0, 400)}`);
    const body = page.html.slice(page.html.indexOf('<form method="post"'));
    const hidden = body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
    const form = new URLSearchParams();
    for (const [, name = '', value = ''] of hidden) form.set(name, unescape(value));
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return this.post(new URL(action, this.#origin), form, {
      origin: this.#origin,
      'sec-fetch-site': 'same-origin',
      ...headers,
    });
  }

  async post(url: URL, form: URLSearchParams, headers: Record<string, string> = {}): Promise<Visit> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#go(url, { method: 'POST', body: form.toString(), headers: { ...type, ...headers } });
  }

  /** All cookies held, for tests on what is stored. */
  get cookies(): readonly { readonly name: string; readonly value: string }[] {
    return [...this.#cookies].map(([key, { value }]) => ({ name: key.split(' ')[0] ?? '', value }));
  }

  async #go(start: URL, first: RequestInit): Promise<Visit> {
    let url = start;
    let init = first;
    for (let step = 0; step < 12; step += 1) {
      if (url.origin !== this.#origin) return { left: url };
      const headers = new Headers(init.headers);
      if (this.#address !== undefined) headers.set('x-forwarded-for', this.#address);
      const cookies = this.#cookiesFor(url);
      if (cookies !== '') headers.set('cookie', cookies);
      const response = await fetch(url, { ...init, headers, redirect: 'manual' });
      this.#keep(response.headers.getSetCookie(), url);
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        await response.arrayBuffer();
        url = new URL(location, url);
        init = { method: 'GET' };
        continue;
      }
      return { page: { url, status: response.status, headers: response.headers, html: await response.text() } };
    }
    throw new Error(`too many redirects, the last to ${url.href}`);
  }

  #cookiesFor({ pathname }: URL): string {
    return [...this.#cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name.split(' ')[0]}=${value}`)
      .join('; ');
  }

  #keep(lines: readonly string[], { pathname }: URL): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const at = pair.indexOf('=');
      const path = attributes.find((part) => /^path=/i.test(part))?.slice(5) ?? pathname;
      const key = `${pair.slice(0, at)} ${path}`;
      if (pair.slice(at + 1) === '' || /expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(key);
      else this.#cookies.set(key, { value: pair.slice(at + 1), path });
    }
  }
}

function unescape(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39|#x27|#x3D);/g, (entity) => ENTITIES[entity] ?? entity);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&#x3D;': '=',
};

export function pageOf(visit: Visit): Page {
  assert.ok('page' in visit, `the browser was sent to ${'left' in visit ? visit.left.href : ''}`);
  return visit.page;
}

export function leftTo(visit: Visit): URL {
  assert.ok(
    'left' in visit,
    `the browser stayed: ${'page' in visit ? `${visit.page.status} ${visit.page.html.slice(0, 600)}` : ''}`,
  );
  return visit.left;
}
