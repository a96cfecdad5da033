import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { Account } from '../../../src/domain/identity/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { Browser, leftTo, pageOf, type Visit } from './browser.ts';
import type { OAuthServer } from './server.ts';

export const PASSWORD = 'correct horse battery staple';
export const REDIRECT = 'http://127.0.0.1:53682/callback';

export interface Person {
  readonly account: Account;
  readonly email: string;
}

export async function person(server: OAuthServer): Promise<Person> {
  const email = `${newId()}@example.com`;
  return { account: await server.services.accounts.create({ email, password: PASSWORD }), email };
}

export interface Json {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly token_type: string;
}

/** A public client as a program would write one, without any library. */
export class RawClient {
  readonly server: OAuthServer;
  readonly id: string;
  readonly redirect: string;

  constructor(server: OAuthServer, id: string, redirect: string = REDIRECT) {
    this.server = server;
    this.id = id;
    this.redirect = redirect;
  }

  static async register(server: OAuthServer, redirect: string = REDIRECT): Promise<RawClient> {
    const { status, body } = await register(server, { client_name: 'Test client', redirect_uris: [redirect] });
    assert.equal(status, 201, JSON.stringify(body));
    return new RawClient(server, String(body['client_id']), redirect);
  }

  authorizeUrl(proof: Pkce, change: Readonly<Record<string, string | undefined>> = {}): URL {
    const url = new URL('/oauth/authorize', this.server.origin);
    const parameters = {
      response_type: 'code',
      client_id: this.id,
      redirect_uri: this.redirect,
      code_challenge: proof.challenge,
      code_challenge_method: 'S256',
      state: 'state-1',
      scope: 'overmind:read',
      resource: this.server.resource,
      ...change,
    };
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
    return url;
  }

  /** The whole way through the browser to the code. */
  async code(who: Person, proof: Pkce, change: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
    const left = await consent(this.server, who, this.authorizeUrl(proof, change));
    const code = left.searchParams.get('code');
    assert.ok(code !== null, left.href);
    return code;
  }

  exchange(code: string, proof: Pkce, change: Readonly<Record<string, string | undefined>> = {}): Promise<Json> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      code_verifier: proof.verifier,
      redirect_uri: this.redirect,
      resource: this.server.resource,
      ...change,
    });
  }

  async connect(who: Person, scope = 'overmind:read'): Promise<Tokens> {
    const proof = pkce();
    const answer = await this.exchange(await this.code(who, proof, { scope }), proof);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return tokensOf(answer);
  }

  refresh(token: string, change: Readonly<Record<string, string | undefined>> = {}): Promise<Json> {
    return this.token({ grant_type: 'refresh_token', refresh_token: token, resource: this.server.resource, ...change });
  }

  token(parameters: Readonly<Record<string, string | undefined>>): Promise<Json> {
    return postForm(this.server, '/oauth/token', { client_id: this.id, ...parameters });
  }

  async revoke(token: string): Promise<number> {
    return (await postForm(this.server, '/oauth/revoke', { client_id: this.id, token })).status;
  }
}

export function tokensOf({ body }: Json): Tokens {
  assert.equal(typeof body['access_token'], 'string', JSON.stringify(body));
  // because the assertion above saw a token response
  return body as unknown as Tokens;
}

/** Signs in and agrees, in a browser of its own unless one is given. */
export async function consent(
  server: OAuthServer,
  who: Person,
  url: URL,
  options: { readonly browser?: Browser; readonly decision?: string } = {},
): Promise<URL> {
  const { browser = new Browser(server.origin), decision = 'connect' } = options;
  const page = pageOf(await signIn(browser, who, await browser.open(url)));
  return leftTo(await browser.submit(page, { decision }));
}

export async function signIn(browser: Browser, who: Person, visit: Visit): Promise<Visit> {
  const page = pageOf(visit);
  assert.match(page.html, /name="password"/, page.html);
  return browser.submit(page, { email: who.email, password: PASSWORD });
}

export async function register(server: OAuthServer, metadata: unknown): Promise<Json> {
  const response = await fetch(`${server.origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  return readJson(response);
}

export async function postForm(
  server: OAuthServer,
  path: string,
  parameters: Readonly<Record<string, string | undefined>> | URLSearchParams,
): Promise<Json> {
  const body = parameters instanceof URLSearchParams ? parameters : new URLSearchParams();
  if (!(parameters instanceof URLSearchParams))
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) body.set(name, value);
  return readJson(await fetch(`${server.origin}${path}`, { method: 'POST', body }));
}

export async function readJson(response: Response): Promise<Json> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
}

export interface McpAnswer {
  readonly status: number;
  readonly challenge: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One MCP request with a bearer token. */
export async function mcp(
  server: Pick<OAuthServer, 'origin'>,
  token: string | undefined,
  method = 'tools/list',
  params: Readonly<Record<string, unknown>> = {},
  path = '/api/mcp/',
): Promise<McpAnswer> {
  const response = await fetch(`${server.origin}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { status, headers } = response;
  return { status, challenge: headers.get('www-authenticate'), body: (await readJson(response)).body };
}
