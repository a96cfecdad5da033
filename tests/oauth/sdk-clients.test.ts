import assert from 'node:assert/strict';
import * as modern from '@modelcontextprotocol/client';
import { auth as legacyAuth, UnauthorizedError as LegacyUnauthorized } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { consent, mcp, person, REDIRECT, RawClient, type Person } from './support/client.ts';
import { Keeper } from './support/keeper.ts';
import { startOAuthServer, type OAuthServer } from './support/server.ts';

interface Connection {
  readonly finish: (answer: URLSearchParams) => Promise<unknown>;
  readonly connect: () => Promise<unknown>;
  readonly call: (name: string) => Promise<unknown>;
}

const LIBRARIES: Readonly<Record<string, (url: URL, keeper: Keeper) => Connection>> = {
  'the v1 SDK': (url, keeper) => {
    const transport = new LegacyTransport(url, { authProvider: keeper });
    const client = new LegacyClient({ name: 'tests', version: '1' });
    return {
      connect: () => client.connect(transport),
      finish: (answer) => transport.finishAuth(answer.get('code') ?? ''),
      call: (name) => client.callTool({ name, arguments: {} }),
    };
  },
  'the v2 client': (url, keeper) => {
    const transport = new modern.StreamableHTTPClientTransport(url, { authProvider: keeper });
    const client = new modern.Client({ name: 'tests', version: '1' });
    return {
      connect: () => client.connect(transport),
      finish: (answer) => transport.finishAuth(answer),
      call: (name) => client.callTool({ name, arguments: {} }),
    };
  },
};

describe('OAuth with official clients', () => {
  let server: OAuthServer;
  let who: Person;
  let projectId: string;
  before(async () => {
    server = await startOAuthServer();
    who = await person(server);
    projectId = (await server.services.projects.create({ accountId: who.account.id, name: 'Agent' })).id;
  });
  after(() => server.stop());

  const agree = async (keeper: Keeper): Promise<URLSearchParams> => {
    assert.ok(keeper.asked !== undefined, 'the library did not ask for a browser');
    return (await consent(server, who, keeper.asked)).searchParams;
  };
  const isUnauthorized = (error: unknown) =>
    error instanceof LegacyUnauthorized || error instanceof modern.UnauthorizedError;

  for (const [name, open] of Object.entries(LIBRARIES))
    for (const path of ['/api/mcp', '/api/mcp/'])
      it(`${name} connects to ${path}, reads, steps up to write and is revoked`, async () => {
        const url = new URL(path, server.origin);
        const keeper = new Keeper(REDIRECT);
        const first = open(url, keeper);
        await assert.rejects(first.connect(), isUnauthorized);
        assert.equal(keeper.asked?.searchParams.get('scope'), 'overmind:read');
        await first.finish(await agree(keeper));
        const reader = open(url, keeper);
        await reader.connect();
        assert.match(JSON.stringify(await reader.call('list_projects')), new RegExp(projectId));

        keeper.asked = undefined;
        await assert.rejects(reader.call('create_dataset_from_traces'));
        if (keeper.asked === undefined) {
          // The v1 library tries a refresh, which cannot widen anything, and leaves the rest to the program.
          keeper.forgetTokens();
          const scope = 'overmind:read overmind:write';
          assert.equal(await legacyAuth(keeper, { serverUrl: url, scope }), 'REDIRECT');
        }
        const asked: URL | undefined = keeper.asked;
        assert.ok(asked !== undefined, 'the library did not step up');
        const query = new URL(String(asked)).searchParams;
        assert.deepEqual(query.get('scope')?.split(' ').toSorted(), ['overmind:read', 'overmind:write']);
        await reader.finish(await agree(keeper));
        const writer = open(url, keeper);
        await writer.connect();
        assert.match(JSON.stringify(await writer.call('create_dataset_from_traces')), /project_required/);

        const before = keeper.tokens()?.refresh_token;
        assert.equal(await legacyAuth(keeper, { serverUrl: url }), 'AUTHORIZED');
        assert.notEqual(keeper.tokens()?.refresh_token, before);
        assert.match(JSON.stringify(await writer.call('list_projects')), new RegExp(projectId));

        const token = keeper.tokens()?.access_token ?? '';
        assert.equal(await new RawClient(server, keeper.clientInformation()?.client_id ?? '').revoke(token), 200);
        assert.equal((await mcp(server, token)).status, 401);
      });
});
