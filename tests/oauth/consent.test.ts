import assert from 'node:assert/strict';
import { SECOND_MS } from '../../src/kernel/duration.ts';
import { FakeClock } from '../support/fakes/clock.ts';
import { Browser, leftTo, pageOf, type Page } from './support/browser.ts';
import { PASSWORD, person, pkce, RawClient, register, signIn, type Person } from './support/client.ts';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

describe('OAuth consent', () => {
  const clock = new FakeClock(new Date());
  let server: OAuthServer;
  let who: Person;
  let client: RawClient;
  beforeEach(async () => {
    server = await startOAuthServer({ clock });
    who = await person(server);
    client = await RawClient.register(server);
  });
  afterEach(() => server.stop());

  const ask = async (): Promise<{ browser: Browser; signInPage: Page; page: Page }> => {
    const browser = new Browser(server.origin);
    const visit = await browser.open(client.authorizeUrl(pkce()));
    return { browser, signInPage: pageOf(visit), page: pageOf(await signIn(browser, who, visit)) };
  };
  const codes = async () =>
    Number((await server.services.db('oauth_tokens').where({ client_id: client.id }).count('* as n').first())?.['n']);
  const decide = (page: Page, change: Record<string, string> = {}) => {
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? '';
    return new URLSearchParams({ decision: 'connect', csrf, ...change });
  };

  it('takes only the form it showed, from a page of its own origin', async () => {
    const { browser, page } = await ask();
    const own = { origin: server.origin, 'sec-fetch-site': 'same-origin' };
    const bad: readonly (readonly [URLSearchParams, Record<string, string>, number])[] = [
      [decide(page, { csrf: '' }), own, 403],
      [decide(page, { csrf: 'A'.repeat(43) }), own, 403],
      [decide(page, { decision: 'maybe' }), own, 400],
      [decide(page), { origin: 'https://evil.test' }, 403],
      [decide(page), { origin: 'null' }, 403],
      [decide(page), { 'sec-fetch-site': 'cross-site' }, 403],
      [decide(page), { 'sec-fetch-site': 'same-site', origin: server.origin }, 403],
    ];
    for (const [form, headers, status] of bad)
      assert.equal(pageOf(await browser.post(page.url, form, headers)).status, status, JSON.stringify(headers));
    const stale = await ask();
    assert.equal(pageOf(await browser.post(page.url, decide(stale.page), own)).status, 403);
    assert.equal(await codes(), 0);
    assert.ok(leftTo(await browser.post(page.url, decide(page), own)).searchParams.has('code'));
    assert.equal(await codes(), 1);
  });

  it('knows the browser that asked, the person who saw the form, and nobody else', async () => {
    const { browser, signInPage, page } = await ask();
    const own = { origin: server.origin };
    const stranger = new Browser(server.origin);
    assert.equal(pageOf(await stranger.open(page.url)).status, 400);
    assert.equal(pageOf(await stranger.post(page.url, decide(page), own)).status, 400);
    const other = await person(server);
    const asOther = pageOf(await browser.submit(signInPage, { email: other.email, password: PASSWORD }));
    assert.ok(asOther.html.includes(other.email));
    assert.equal(pageOf(await browser.post(page.url, decide(page), own)).status, 403);
    assert.equal(await codes(), 0);
    assert.ok(leftTo(await browser.submit(asOther, { decision: 'connect' })).searchParams.has('code'));
  });

  it('decides once', async () => {
    const { browser, page } = await ask();
    leftTo(await browser.submit(page, { decision: 'connect' }));
    assert.equal(pageOf(await browser.post(page.url, decide(page), { origin: server.origin })).status, 400);
    assert.equal(pageOf(await browser.open(page.url)).status, 400);
    assert.equal(await codes(), 1);
  });

  it('does nothing for a browser in which nobody is signed in', async () => {
    const browser = new Browser(server.origin);
    const page = pageOf(await browser.open(client.authorizeUrl(pkce())));
    assert.equal(pageOf(await browser.post(page.url, decide(page), { origin: server.origin })).status, 401);
    assert.equal(await codes(), 0);
  });

  it('does nothing for a person who was deactivated meanwhile', async () => {
    const { browser, page } = await ask();
    await server.services.accounts.setActive(who.account.id, false);
    assert.equal(pageOf(await browser.submit(page, { decision: 'connect' })).status, 401);
    assert.equal(await codes(), 0);
  });

  it('lets a request go after ten minutes and a code after two', async () => {
    const { browser, page } = await ask();
    clock.advance(601 * SECOND_MS);
    assert.equal(pageOf(await browser.submit(page, { decision: 'connect' })).status, 400);
    const proof = pkce();
    const code = await client.code(who, proof);
    clock.advance(121 * SECOND_MS);
    assert.equal((await client.exchange(code, proof)).body['error'], 'invalid_grant');
  });

  it('shows pages that nobody can frame, keep or send elsewhere', async () => {
    const { page } = await ask();
    const csp = page.headers.get('content-security-policy') ?? '';
    assert.match(csp, /default-src 'none'/);
    assert.match(csp, /frame-ancestors 'none'/);
    assert.match(csp, /form-action 'self' http:\/\/127\.0\.0\.1:53682;/);
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.equal(page.headers.get('cache-control'), 'no-store');
  });

  it('writes a hostile name as text', async () => {
    const name = `</h1><script>alert(1)</script>"'&\u202e\u0000`;
    const { body } = await register(server, { client_name: name, redirect_uris: ['https://app.example.test/cb'] });
    client = new RawClient(server, String(body['client_id']), 'https://app.example.test/cb');
    const { page } = await ask();
    assert.ok(!page.html.includes('<script'));
    assert.ok(page.html.includes('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;'));
    for (const unseen of ['\u202e', '\u0000']) assert.ok(!page.html.includes(unseen));
    assert.match(page.html, /nobody has checked it/);
  });

  it('slows down guessing of passwords', async () => {
    const browser = new Browser(server.origin);
    const page = pageOf(await browser.open(client.authorizeUrl(pkce())));
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1)
      statuses.push(pageOf(await browser.submit(page, { email: who.email, password: 'wrong wrong wrong' })).status);
    assert.deepEqual(
      statuses.slice(0, 10),
      Array.from({ length: 10 }, () => 401),
    );
    assert.equal(statuses[11], 429);
    assert.equal(pageOf(await browser.submit(page, { email: who.email, password: PASSWORD })).status, 429);
  });

  it('refuses a sign-in form of another browser', async () => {
    const mine = new Browser(server.origin);
    const theirs = new Browser(server.origin);
    const page = pageOf(await mine.open(client.authorizeUrl(pkce())));
    const foreign = pageOf(await theirs.open(client.authorizeUrl(pkce())));
    const csrf = /name="csrf" value="([^"]*)"/.exec(foreign.html)?.[1] ?? '';
    const answer = pageOf(await mine.submit(page, { csrf, email: who.email, password: PASSWORD }));
    assert.equal(answer.status, 401);
  });

  it('believes no forwarded host', async () => {
    const response = await fetch(client.authorizeUrl(pkce()), {
      redirect: 'manual',
      headers: { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https', forwarded: 'host=evil.test' },
    });
    assert.match(response.headers.get('location') ?? '', /^\/oauth\/interaction\//);
    const metadata = await fetch(`${server.origin}/.well-known/oauth-authorization-server`, {
      headers: { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' },
    });
    assert.ok(!(await metadata.text()).includes('evil.test'));
  });

  it('limits authorization requests of one address', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 62; count += 1)
      statuses.push((await fetch(`${server.origin}/oauth/authorize?client_id=x`)).status);
    assert.ok(statuses.slice(0, 60).every((status) => status === 400));
    assert.equal(statuses[61], 429);
  });
});
