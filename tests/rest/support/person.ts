import assert from 'node:assert/strict';
import { ApiError, createClient, type Client } from '../../../generated/client/index.ts';
import type { Account } from '../../../src/domain/identity/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { TestServer } from '../../support/mcp.ts';

/** The server hashes passwords slowly on purpose, so tests that need no password sign in by a link. */
const PASSWORD = 'correct horse battery staple';

/** Someone signed in at the Console, as a page of the server would call its REST endpoints. */
export interface SignedIn {
  readonly account: Account;
  readonly sessionId: string;
  readonly cookie: string;
  readonly csrfToken: string;
  readonly client: Client;
}

export async function signIn(server: TestServer, email = `${newId()}@example.com`): Promise<SignedIn> {
  const { accounts, sessions } = server.services;
  const account = (await accounts.findByEmail(email)) ?? (await accounts.create({ email }));
  const { token } = await sessions.issueLink(account.id, 'reset');
  const browser = { clientIp: '127.0.0.1', userAgent: 'tests' };
  const opened = await sessions.redeemLink(token, { password: PASSWORD }, browser);
  const cookie = `overmind_session=${opened.token}`;
  const { csrf_token: csrfToken } = await clientOf(server, { cookie }).get_account({});
  assert.ok(csrfToken !== null);
  return {
    account: opened.account,
    sessionId: opened.session.id,
    cookie,
    csrfToken,
    client: clientOf(server, { cookie, csrfToken }),
  };
}

/** What a browser adds by itself, around the generated client. */
function clientOf(
  { origin }: TestServer,
  { cookie, csrfToken }: { readonly cookie: string; readonly csrfToken?: string },
): Client {
  return createClient({
    origin,
    ...(csrfToken !== undefined && { csrfToken }),
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('cookie', cookie);
      headers.set('origin', origin);
      headers.set('sec-fetch-site', 'same-origin');
      return fetch(input, { ...init, headers });
    },
  });
}

export async function refused(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (fault: unknown) => fault,
  );
  assert.ok(error instanceof ApiError, `must be refused, and gave ${String(error)}`);
  return error;
}
