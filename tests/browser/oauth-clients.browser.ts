import assert from 'node:assert/strict';
import * as modern from '@modelcontextprotocol/client';
import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Browser, BrowserContext } from 'playwright-core';
import { mcp } from '../oauth/support/client.ts';
import { Keeper } from '../oauth/support/keeper.ts';
import { launch } from './chromium.ts';
import { Callback, Installation } from './installation.ts';

const BOTH = ['overmind:read', 'overmind:write'];
const WRITE = { name: 'create_dataset_from_traces', arguments: {} };

/** How a program uses one of the libraries. Each step that needs the person leaves an address with the keeper. */
interface Program {
  start(): Promise<void>;
  finish(answer: URLSearchParams): Promise<unknown>;
  /** A fresh session with the tokens at hand. */
  connect(): Promise<{ call(request: { name: string; arguments: Record<string, unknown> }): Promise<unknown> }>;
  /** After a call was refused for want of a scope: has the person asked for all of these. */
  askForMore(scope: string): Promise<void>;
}

const PROGRAMS: Readonly<Record<string, (url: URL, keeper: Keeper) => Program>> = {
  'the v1 SDK': (url, keeper) => ({
    async start() {
      const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(await refusal(url));
      assert.ok(scope !== undefined && resourceMetadataUrl !== undefined, 'the library cannot read the challenge');
      assert.equal(await auth(keeper, { serverUrl: url, scope, resourceMetadataUrl }), 'REDIRECT');
    },
    async finish(answer) {
      const outcome = await auth(keeper, { serverUrl: url, authorizationCode: answer.get('code') ?? '' });
      assert.equal(outcome, 'AUTHORIZED');
    },
    async connect() {
      const client = new LegacyClient({ name: 'tests', version: '1' });
      await client.connect(new LegacyTransport(url, { authProvider: keeper }));
      return { call: (request) => client.callTool(request) };
    },
    async askForMore(scope) {
      // Its transport answers a refusal with a refresh, which cannot widen anything; the program asks by itself.
      keeper.forgetTokens();
      assert.equal(await auth(keeper, { serverUrl: url, scope }), 'REDIRECT');
    },
  }),
  'the v2 client': (url, keeper) => {
    const open = () => ({
      transport: new modern.StreamableHTTPClientTransport(url, { authProvider: keeper }),
      client: new modern.Client({ name: 'tests', version: '1' }),
    });
    const first = open();
    return {
      async start() {
        await assert.rejects(first.client.connect(first.transport), modern.UnauthorizedError);
      },
      finish: (answer) => first.transport.finishAuth(answer),
      async connect() {
        const { client, transport } = open();
        await client.connect(transport);
        return { call: (request) => client.callTool(request) };
      },
      async askForMore() {
        // Its transport has asked already when the refusal arrived.
        assert.ok(keeper.asked !== undefined, 'the client did not step up');
      },
    };
  },
};

function refusal(url: URL): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return fetch(url, { method: 'POST', headers, body });
}

describe('OAuth in a browser, for programs', function () {
  // Chromium and a server of its own on a busy machine.
  this.timeout(120_000);
  let browser: Browser;
  let installation: Installation;
  let callback: Callback;
  let context: BrowserContext;

  before(async () => {
    browser = await launch();
    [installation, callback] = await Promise.all([Installation.start(browser), Callback.listen()]);
  });
  after(async () => {
    callback.close();
    await browser.close();
    await installation.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext();
  });
  afterEach(() => context.close());

  const agree = async (keeper: Keeper, expected: { readonly writes: boolean; readonly signsIn: boolean }) => {
    const asked = keeper.asked ?? assert.fail('the library did not ask for a browser');
    keeper.asked = undefined;
    const page = await context.newPage();
    await page.goto(asked.href);
    if (expected.signsIn) await installation.signIn(page);
    await installation.consent(page, { client: keeper.clientMetadata.client_name, writes: expected.writes });
    const answer = await callback.next();
    assert.equal(await page.locator('body').innerText(), 'You can close this window.');
    await page.close();
    assert.equal(answer.get('iss'), installation.origin);
    return { asked: asked.searchParams, answer };
  };
  const status = async (token: string, path: string, request?: typeof WRITE) =>
    mcp({ origin: installation.origin }, token, request === undefined ? 'tools/list' : 'tools/call', request, path);

  for (const [name, programOf] of Object.entries(PROGRAMS))
    for (const path of ['/api/mcp', '/api/mcp/'])
      it(`takes ${name} at ${path} from a 401 over sign-in, consent and step-up to revocation`, async () => {
        const url = new URL(path, installation.origin);
        const keeper = new Keeper(callback.url, `${name} at ${path}`);
        const program = programOf(url, keeper);
        const token = () => keeper.tokens()?.access_token ?? assert.fail('the library keeps no token');

        const refused = await mcp({ origin: installation.origin }, undefined, 'tools/list', {}, path);
        assert.equal(refused.status, 401);
        assert.match(refused.challenge ?? '', /^Bearer resource_metadata="[^"]+", scope="overmind:read"$/);
        await program.start();
        assert.match(keeper.clientInformation()?.client_id ?? '', /^omc_/);
        const first = await agree(keeper, { writes: false, signsIn: true });
        assert.equal(first.asked.get('resource'), url.href);
        await program.finish(first.answer);
        const reader = await program.connect();
        const list = { name: 'list_projects', arguments: {} };
        assert.match(JSON.stringify(await reader.call(list)), new RegExp(installation.projectId));

        const lacking = await status(token(), path, WRITE);
        assert.equal(lacking.status, 403);
        assert.match(lacking.challenge ?? '', /error="insufficient_scope".*scope="overmind:read overmind:write"/);
        await assert.rejects(reader.call(WRITE));
        await program.askForMore(BOTH.join(' '));
        const second = await agree(keeper, { writes: true, signsIn: false });
        assert.deepEqual(second.asked.get('scope')?.split(' ').toSorted(), BOTH);
        await program.finish(second.answer);
        const writer = await program.connect();
        assert.match(JSON.stringify(await writer.call(WRITE)), /project_required/);

        const before = { token: token(), rotations: await installation.countRotations() };
        await installation.letAccessTokensExpire();
        assert.equal((await status(before.token, path)).status, 401);
        assert.match(JSON.stringify(await writer.call(list)), new RegExp(installation.projectId));
        assert.notEqual(token(), before.token);
        assert.equal(await installation.countRotations(), before.rotations + 1);

        await installation.revoke(context, keeper.clientMetadata.client_name);
        assert.equal((await status(token(), path)).status, 401);
        await assert.rejects(writer.call(list));
      });
});
