import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Db } from '../../src/db/database.ts';
import { openHandle } from '../support/boot.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { emptyDatabaseUrl, emptyFolder, serve, type RunningServer } from '../support/process.ts';
import { keepPicture } from './shots.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery staple';

/** A server in a process of its own on a fresh database, and the person who has just set it up in a browser. */
export class Installation {
  readonly origin: string;
  readonly projectId: string;
  readonly #running: RunningServer;
  readonly #db: Db;

  private constructor(running: RunningServer, db: Db) {
    this.origin = running.origin;
    this.projectId = running.ready.first_run?.project_id ?? '';
    this.#running = running;
    this.#db = db;
  }

  static async start(browser: Browser): Promise<Installation> {
    const port = await freePort();
    const url = await emptyDatabaseUrl();
    const running = await serve({
      DATABASE_URL: url,
      DATA_DIR: await emptyFolder(),
      MCP_SERVER_URL: `http://127.0.0.1:${port}/api/mcp/`,
      PORT: String(port),
    });
    const installation = new Installation(running, openHandle({ url }));
    await installation.#setUp(browser);
    return installation;
  }

  async stop(): Promise<void> {
    await this.#running.process.stop();
  }

  /** What happens to access tokens within an hour, at once. */
  async letAccessTokensExpire(): Promise<void> {
    await this.#db('oauth_tokens')
      .where({ kind: 'access' })
      .update({ expires_at: this.#db.raw("now() - interval '1 second'") });
  }

  /** Refresh tokens that were traded for newer ones. */
  async countRotations(): Promise<number> {
    const row = await this.#db('oauth_tokens')
      .where({ kind: 'refresh' })
      .whereNotNull('consumed_at')
      .count('* as n')
      .first();
    return Number(row?.['n']);
  }

  /** Answers a page that asks to sign in, when it is one. */
  async signIn(page: Page): Promise<void> {
    assert.equal(new URL(page.url()).origin, this.origin);
    await page.getByLabel('E-mail address').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Reads the consent page, keeps a picture, and agrees. */
  async consent(page: Page, expected: { readonly client: string; readonly writes: boolean }): Promise<void> {
    const connect = page.getByRole('button', { name: 'Connect', exact: true });
    await connect.waitFor();
    assert.equal(await page.locator('h1').innerText(), `Connect ${expected.client}?`);
    const words = await page.locator('main').innerText();
    assert.ok(words.includes(EMAIL) && words.includes('until you revoke it'), words);
    assert.equal(await page.locator('.scopes li').count(), expected.writes ? 2 : 1, words);
    assert.equal(words.includes('paid models'), expected.writes, words);
    const name = expected.client.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    await keepPicture(page, `consent-${name}-${expected.writes ? 'write' : 'read'}`);
    await connect.click();
  }

  /** Takes back every connection of a client, as its person does at the Console. */
  async revoke(context: BrowserContext, client: string): Promise<void> {
    const page = await context.newPage();
    await page.goto(`${this.origin}/connections`);
    const buttons = page.getByRole('button', { name: `Revoke ${client}` });
    assert.ok((await buttons.count()) > 0, `${client} is not among the connections`);
    while ((await buttons.count()) > 0) {
      await buttons.first().click();
      await page.getByRole('button', { name: 'Revoke a connection' }).click();
      await page.getByText('The connection is revoked.').waitFor();
    }
    await page.close();
  }

  async #setUp(browser: Browser): Promise<void> {
    const link = this.#running.ready.first_run?.setup_url ?? assert.fail('a first start gives a set-up link');
    const page = await browser.newPage();
    await page.goto(link);
    await page.getByLabel('E-mail address').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('The same again').fill(PASSWORD);
    await page.getByRole('button').last().click();
    await page.getByText('Overmind').first().waitFor();
    await page.waitForURL((url) => url.pathname === '/');
    await page.context().close();
  }
}

/** The address on this machine to which a program has the browser return. */
export class Callback {
  readonly url: string;
  readonly #server: Server;
  readonly #answers: URLSearchParams[] = [];

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}/callback`;
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
      if (pathname === '/callback') this.#answers.push(searchParams);
      response.setHeader('content-type', 'text/plain').end('You can close this window.');
    });
  }

  static async listen(): Promise<Callback> {
    const port = await freePort();
    const callback = new Callback(port);
    await new Promise<void>((resolve) => callback.#server.listen(port, '127.0.0.1', resolve));
    return callback;
  }

  /** What the browser brought back. */
  next(): Promise<URLSearchParams> {
    return eventually(() => this.#answers.shift() ?? assert.fail('the browser has not returned'));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
