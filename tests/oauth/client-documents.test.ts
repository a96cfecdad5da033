import assert from 'node:assert/strict';
import { createGuardedFetch, type FetchedDocument } from '../../src/oauth/guarded-fetch.ts';
import { isPublicAddress } from '../../src/oauth/public-address.ts';
import { Browser, leftTo, pageOf } from './support/browser.ts';
import { mcp, person, pkce, RawClient, signIn, tokensOf } from './support/client.ts';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

const ID = 'https://client.example.com/oauth/client.json';
const DOCUMENT = {
  client_id: ID,
  client_name: 'Published client',
  redirect_uris: ['http://127.0.0.1/callback'],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
};

describe('OAuth client documents', () => {
  const fetched: string[] = [];
  const documents = new Map<string, FetchedDocument>();
  let server: OAuthServer;
  before(async () => {
    server = await startOAuthServer({
      environment: { TRUSTED_PROXIES: '127.0.0.1' },
      oauth: {
        fetchDocument: (url) => {
          fetched.push(url.href);
          const document = documents.get(url.href);
          return document === undefined ? Promise.reject(new Error('unreachable')) : Promise.resolve(document);
        },
      },
    });
  });
  after(() => server.stop());
  const publish = (id: string, document: unknown, status = 200) =>
    documents.set(id, {
      status,
      headers: {},
      body: typeof document === 'string' ? document : JSON.stringify(document),
    });
  let visits = 0;
  const open = (clientId: string) => {
    const browser = new Browser(server.origin, `198.51.100.${(visits += 1)}`);
    return {
      browser,
      visit: browser.open(new RawClient(server, clientId, 'http://127.0.0.1:5000/callback').authorizeUrl(pkce())),
    };
  };

  it('lets a client in whose id is the address of its description', async () => {
    publish(ID, DOCUMENT);
    const who = await person(server);
    const client = new RawClient(server, ID, 'http://127.0.0.1:5000/callback');
    const proof = pkce();
    const browser = new Browser(server.origin);
    const page = pageOf(await signIn(browser, who, await browser.open(client.authorizeUrl(proof))));
    assert.match(page.html, /Published client/);
    assert.match(page.html, /published by client\.example\.com/);
    const code = leftTo(await browser.submit(page, { decision: 'connect' })).searchParams.get('code') ?? '';
    const tokens = tokensOf(await client.exchange(code, proof));
    assert.equal((await mcp(server, tokens.access_token)).status, 200);
    assert.equal((await client.refresh(tokens.refresh_token)).status, 200);
    const [connection] = await server.services.connections.list(who.account.id);
    assert.equal(connection?.clientKind, 'document');
  });

  it('never fetches an id that is no page of a public site', async () => {
    fetched.length = 0;
    const ids = [
      'https://169.254.169.254/x',
      'https://localhost/x',
      'https://[::ffff:10.0.0.1]/x',
      'https://[::1]/x',
      'https://127.0.0.1/x',
      'https://10.0.0.1/x',
      'https://0x7f000001/x',
      'https://2130706433/x',
      'https://printer.local/x',
      'https://a.localhost/x',
      'https://intranet/x',
      'http://client.example.com/x',
      'https://client.example.com/',
      'https://client.example.com',
      'https://client.example.com:8443/x',
      'https://user@client.example.com/x',
      'https://client.example.com/x#y',
      'https://client.example.com/a/../x',
      'https://client.example.com/x?y=1',
      'https://client.example.com\\x',
      'ftp://client.example.com/x',
    ];
    for (const id of ids) assert.equal(pageOf(await open(id).visit).status, 400, id);
    assert.deepEqual(fetched, []);
  });

  it('refuses descriptions that lie, keep secrets or lead elsewhere', async () => {
    const bad: readonly (readonly [unknown, number?])[] = [
      [{ ...DOCUMENT, client_id: ID }],
      [{ ...DOCUMENT, client_secret: 's' }],
      [{ ...DOCUMENT, token_endpoint_auth_method: 'client_secret_basic' }],
      [{ ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt' }],
      [{ ...DOCUMENT, redirect_uris: ['http://evil.test/cb'] }],
      [{ ...DOCUMENT, redirect_uris: [] }],
      ['not json'],
      ['[]'],
      [DOCUMENT, 302],
      [DOCUMENT, 404],
    ];
    for (const [index, [document, status]] of bad.entries()) {
      const id = `https://client.example.com/bad-${index}.json`;
      const own = index > 0 && typeof document === 'object' ? { ...document, client_id: id } : document;
      publish(id, own, status);
      assert.equal(pageOf(await open(id).visit).status, 400, JSON.stringify(document));
    }
    assert.equal(pageOf(await open('https://client.example.com/unreachable.json').visit).status, 400);
  });
});

describe('guarded fetch', () => {
  it('knows which addresses are on the public internet', () => {
    const inside = [
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '192.0.2.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::ffff:10.0.0.1',
      '::ffff:8.8.8.8',
      '64:ff9b::a00:1',
      'fc00::1',
      'fd00:ec2::254',
      'fe80::1',
      'ff02::1',
      '2002:a00:1::',
      '2001::1',
      '2001:db8::1',
      'localhost',
      '',
    ];
    for (const address of inside) assert.equal(isPublicAddress(address), false, address);
    for (const address of ['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])
      assert.equal(isPublicAddress(address), true, address);
  });

  it('opens no connection when a single address of the host is inside', async () => {
    let connections = 0;
    const connect = () => {
      connections += 1;
      throw new Error('connected');
    };
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::1'], []]) {
      const guarded = createGuardedFetch({ resolve: () => Promise.resolve(addresses), connect });
      await assert.rejects(guarded(new URL('https://client.example.com/x'), 100), /not on the public internet/);
    }
    for (const url of [
      'https://127.0.0.1/x',
      'https://[::1]/x',
      'http://client.example.com/x',
      'https://client.example.com:8443/x',
    ])
      await assert.rejects(createGuardedFetch({ connect })(new URL(url), 100), /public internet|plain https/);
    assert.equal(connections, 0);
  });

  it('connects to the address it has looked at, whatever the name says later', async () => {
    const pinned: unknown[] = [];
    const connect: never = ((
      _url: URL,
      options: { lookup: (host: string, o: object, done: (...found: unknown[]) => void) => void },
    ) => {
      options.lookup('client.example.com', { all: true }, (_error, addresses) => pinned.push(addresses));
      options.lookup('client.example.com', {}, (_error, address) => pinned.push(address));
      throw new Error('seen');
      // because only the look-up of the request is of interest here
    }) as never;
    const guarded = createGuardedFetch({ resolve: () => Promise.resolve(['8.8.8.8', '1.1.1.1']), connect });
    await assert.rejects(guarded(new URL('https://client.example.com/x'), 100), /seen/);
    assert.deepEqual(pinned, [[{ address: '8.8.8.8', family: 4 }], '8.8.8.8']);
  });
});
