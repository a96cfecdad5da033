import type { TestDatabase } from '../../support/boot.ts';
import type { Environment } from '../../../src/app/config.ts';
import type { OAuthOptions } from '../../../src/app/oauth.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { noteSecret } from '../../support/canary.ts';
import { freePort } from '../../support/free-port.ts';
import { startServer, type TestServer } from '../../support/mcp.ts';

export interface OAuthServer extends TestServer {
  /** The canonical resource. */
  readonly resource: string;
}

/** A server whose public address is the one it listens on, with OAuth on and pages that need no Console. */
export async function startOAuthServer(
  options: {
    readonly environment?: Environment;
    readonly clock?: Clock;
    readonly oauth?: OAuthOptions;
    readonly database?: TestDatabase;
  } = {},
): Promise<OAuthServer> {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/api/mcp/`;
  const { environment, oauth, ...rest } = options;
  const { database } = options;
  const server = await startServer({
    ...rest,
    oauth: { consent: 'plain', ...oauth },
    // Its sign-in and consent are one small form each, which a browser without pages can fill.
    environment: { PORT: String(port), MCP_SERVER_URL: resource, RATE_LIMIT_REQUESTS: '0', ...environment },
  });
  // All of them are asked from one address, and count together in one store.
  if (database === undefined) await server.services.db('attempts').delete();
  const keys = await server.services.oauth.keys.getOrCreate();
  for (const key of keys.signing) noteSecret('a signing key', String(key['d']));
  for (const key of keys.cookies) noteSecret('a key of cookies', key);
  return { ...server, resource };
}
