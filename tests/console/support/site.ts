import assert from 'node:assert/strict';
import type { Account } from '../../../src/domain/identity/index.ts';
import type { Project } from '../../../src/domain/projects/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { TestServer } from '../../support/mcp.ts';

export const PASSWORD = 'correct horse battery staple';

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Where a redirect leads, as it was written. */
  readonly location: string | undefined;
}

/** A browser that reads no script: keeps cookies, sends forms with their token, follows nothing by itself. */
export class Site {
  readonly #origin: string;
  readonly cookies = new Map<string, string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#send(path, { headers });
  }

  /** Loads the page for its token, then posts the form. */
  async submit(
    path: string,
    action: string,
    fields: Readonly<Record<string, string>> = {},
    headers: Record<string, string> = {},
  ): Promise<Page> {
    const page = await this.get(path);
    assert.equal(page.status, 200, page.html);
    return this.post(path, { csrf: csrfOf(page), action, ...fields }, headers);
  }

  post(path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}): Promise<Page> {
    return this.#send(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: this.#origin,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    });
  }

  async signIn(email: string, password = PASSWORD): Promise<Page> {
    return this.submit('/sign-in', 'sign_in', { email, password, next: '/' });
  }

  async #send(path: string, init: RequestInit): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie !== '' && { cookie }), ...(init.headers as Record<string, string>) };
    const response = await fetch(new URL(path, this.#origin), { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return {
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: response.headers.get('location') ?? undefined,
    };
  }
}

export function csrfOf(page: Page): string {
  return /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? assert.fail('the page has no form');
}

export interface Person {
  readonly account: Account;
  readonly email: string;
  readonly project: Project;
  readonly site: Site;
}

/** Someone with a password and one project, signed in. */
export async function signedIn(server: TestServer, options: { readonly projectName?: string } = {}): Promise<Person> {
  const { accounts, projects } = server.services;
  const email = `${newId()}@example.com`;
  const account = await accounts.create({ email, password: PASSWORD });
  const project = await projects.create({ accountId: account.id, name: options.projectName ?? 'Support agent' });
  const site = new Site(server.origin);
  const page = await site.signIn(email);
  assert.equal(page.status, 303, page.html);
  return { account, email, project, site };
}
