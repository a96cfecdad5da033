import assert from 'node:assert/strict';
import { pages } from '../../generated/console/pages.ts';
import { joinPages } from '../../src/console/match.ts';
import { newId } from '../../src/kernel/ids.ts';
import { sha256 } from '../../src/kernel/secrets.ts';
import { freshDatabase } from '../support/boot.ts';
import { FakeClock } from '../support/fakes/clock.ts';
import { startServer, type TestServer } from '../support/mcp.ts';
import { csrfOf, PASSWORD, signedIn, Site } from './support/site.ts';

const COOKIE = 'overmind_session';

describe('Signing in at the Console', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  const newAccount = async (): Promise<string> => {
    const email = `${newId()}@example.com`;
    await server.services.accounts.create({ email, password: PASSWORD });
    return email;
  };

  it('gives a session in a cookie that no script reads, and stores its hash alone', async () => {
    const site = new Site(server.origin);
    const page = await site.signIn(await newAccount());
    assert.equal(page.status, 303);
    const line = page.headers.getSetCookie().find((one) => one.startsWith(COOKIE)) ?? '';
    assert.match(line, /; HttpOnly/);
    assert.match(line, /; SameSite=Lax/);
    const token = site.cookies.get(COOKIE) ?? '';
    const rows: { token_hash: string }[] = await server.services.db('account_sessions').select('*');
    assert.ok(rows.some((row) => row.token_hash === sha256(token)));
    assert.ok(!JSON.stringify(rows).includes(token));
  });

  it('marks cookies Secure, and binds them to the host, where the public address is https', async () => {
    const secure = await startServer({ environment: { MCP_SERVER_URL: 'https://localhost/api/mcp/' } });
    const page = await new Site(secure.origin).get('/sign-in');
    const [line = ''] = page.headers.getSetCookie();
    assert.match(line, /^__Host-overmind_visitor=.*; Path=\/.*; Secure/);
    assert.match(page.headers.get('strict-transport-security') ?? '', /max-age/);
    await secure.stop();
  });

  it('says the same for a wrong password and an unknown address', async () => {
    const words = async (email: string): Promise<string | undefined> => {
      const page = await new Site(server.origin).signIn(email, 'not the right one');
      assert.equal(page.status, 400);
      return /role="alert">([^<]+)/.exec(page.html)?.[1];
    };
    assert.equal(await words(await newAccount()), await words('nobody@example.com'));
  });

  it('never takes over a session that was in the browser before', async () => {
    const email = await newAccount();
    const site = new Site(server.origin);
    site.cookies.set(COOKIE, 'A'.repeat(43));
    await site.signIn(email);
    const first = site.cookies.get(COOKIE) ?? '';
    assert.notEqual(first, 'A'.repeat(43));
    const stolen = new Site(server.origin);
    stolen.cookies.set(COOKIE, first);
    assert.equal((await stolen.get('/projects')).status, 200);
    const page = await site.get('/account');
    await site.post('/sign-in', { csrf: csrfOf(page), action: 'sign_in', email, password: PASSWORD, next: '/' });
    assert.notEqual(site.cookies.get(COOKIE), first);
    assert.equal((await stolen.get('/projects')).location, '/sign-in?next=%2Fprojects');
  });

  it('ends a session by signing out, at once and for every copy of its cookie', async () => {
    const { site } = await signedIn(server);
    const copy = new Site(server.origin);
    copy.cookies.set(COOKIE, site.cookies.get(COOKIE) ?? '');
    const page = await site.submit('/sign-out', 'sign_out');
    assert.equal(page.location, '/sign-in?notice=signed_out');
    assert.equal((await copy.get('/projects')).status, 303);
  });

  it('lets nobody in whose account is not active', async () => {
    const { site, account, email } = await signedIn(server);
    await server.services.accounts.setActive(account.id, false);
    assert.equal((await site.get('/projects')).status, 303);
    assert.equal((await new Site(server.origin).signIn(email)).status, 400);
  });

  it('comes back to the page that was asked for, and to no other site', async () => {
    const email = await newAccount();
    const leads = async (next: string): Promise<string | undefined> => {
      const page = await new Site(server.origin).submit('/sign-in', 'sign_in', { email, password: PASSWORD, next });
      return page.location;
    };
    assert.equal(await leads('/traces?projectId=x'), '/traces?projectId=x');
    const again = await new Site(server.origin).submit('/sign-in', 'sign_in', {
      email,
      password: 'not the right one',
      next: '/traces?projectId=x',
    });
    assert.match(again.html, /name="next" value="\/traces\?projectId&#x3D;x"/);
    const foreign = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      'javascript:alert(1)',
      '/..//evil.example',
    ];
    for (const next of foreign) assert.equal(await leads(next), '/', next);
  });

  it('slows down guessing, and tells how long to wait', async () => {
    const database = await freshDatabase();
    const own = await startServer({ database });
    const site = new Site(own.origin);
    const tries = [];
    for (let count = 0; count < 11; count += 1)
      tries.push((await site.signIn('someone@example.com', 'wrong wrong wrong')).status);
    assert.deepEqual(tries, [...Array.from({ length: 10 }, () => 400), 429]);
    const refused = await site.signIn('someone@example.com', 'wrong wrong wrong');
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    await own.stop();
    const another = await startServer({ database });
    const again = await new Site(another.origin).signIn('someone@example.com', 'wrong wrong wrong');
    assert.equal(again.status, 429, 'every process counts the same tries');
    await another.stop();
  });

  it('changes the password only with the old one, and signs the other browsers out', async () => {
    const { site, email } = await signedIn(server);
    const other = new Site(server.origin);
    await other.signIn(email);
    const change = (current: string) =>
      site.submit('/account', 'change_password', {
        current,
        next: 'a new long password',
        repeated: 'a new long password',
      });
    assert.equal((await change('wrong wrong wrong')).status, 400);
    assert.equal((await change(PASSWORD)).location, '/account?notice=password_changed');
    assert.equal((await site.get('/account')).status, 200);
    assert.equal((await other.get('/account')).status, 303);
    assert.equal((await new Site(server.origin).signIn(email)).status, 400);
    assert.equal((await new Site(server.origin).signIn(email, 'a new long password')).status, 303);
  });
});

describe('One-time links', () => {
  it('let the first person choose address and password, once', async () => {
    const server = await startServer();
    const { accounts, sessions } = server.services;
    const account = await accounts.create({ email: `${newId()}@localhost.example` });
    const { token } = await sessions.issueLink(account.id, 'first_run');
    const site = new Site(server.origin);
    const email = `${newId()}@example.com`;
    const fields = { token, email, password: 'my first password', repeated: 'my first password' };
    const page = await site.submit(`/setup?token=${token}`, 'set_password', fields);
    assert.equal(page.location, '/?notice=welcome');
    assert.equal((await accounts.get(account.id)).email, email);
    assert.equal((await new Site(server.origin).get(`/setup?token=${token}`)).status, 404);
    assert.ok(!JSON.stringify(server.log).includes(token), 'the link is in no log line');
    await server.stop();
  });

  it('stop working after their time, and when a newer one is made', async () => {
    const clock = new FakeClock();
    const server = await startServer({ clock });
    const { accounts, sessions } = server.services;
    const account = await accounts.create({ email: `${newId()}@example.com` });
    const older = await sessions.issueLink(account.id, 'reset');
    const newer = await sessions.issueLink(account.id, 'reset');
    assert.equal(await sessions.findLink(older.token), undefined);
    assert.equal((await sessions.findLink(newer.token))?.purpose, 'reset');
    clock.advance(25 * 3_600_000);
    assert.equal(await sessions.findLink(newer.token), undefined);
    await server.stop();
  });

  it('work for one of several at the same moment', async () => {
    const server = await startServer();
    const { accounts, sessions } = server.services;
    const account = await accounts.create({ email: `${newId()}@example.com` });
    const { token } = await sessions.issueLink(account.id, 'invitation');
    const browser = { clientIp: '127.0.0.1', userAgent: 'test' };
    const tries = Array.from({ length: 8 }, (_, index) =>
      sessions.redeemLink(token, { password: `password number ${index}` }, browser),
    );
    const outcomes = await Promise.allSettled(tries);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    await server.stop();
  });
});

describe('The page register', () => {
  it('refuses code without a contract, and a contract without code', () => {
    const none = {} as never;
    assert.throws(() => joinPages(pages, none), /has a contract but no code/);
    const extra = { secret_page: { show: () => Promise.reject(new Error('never shown')) } } as never;
    assert.throws(() => joinPages(pages, extra), /secret_page has code but no contract/);
  });
});
