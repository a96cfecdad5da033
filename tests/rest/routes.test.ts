import assert from 'node:assert/strict';
import type { EndpointContract } from '../../src/rest/endpoint.ts';
import { joinRoutes, matchPath } from '../../src/rest/routes.ts';

const contract = (change: Partial<EndpointContract> = {}): EndpointContract => ({
  name: 'thing',
  method: 'GET',
  path: '/things/{id}',
  auth: 'none',
  mcpImpact: { class: 'frontend_only', reason: 'For people.', covers: [] },
  parameters: [{ name: 'id', in: 'path', required: true }],
  response: { status: 200 },
  ...change,
});
const handler = async () => undefined;

describe('joinRoutes', () => {
  it('refuses a handler that no contract knows', () => {
    assert.throws(
      () => joinRoutes([contract()], { thing: handler, secret_door: handler }),
      /secret_door has a handler but no contract/,
    );
  });

  it('refuses a contract that nobody answers', () => {
    assert.throws(() => joinRoutes([contract()], {}), /thing has a contract but no handler/);
  });

  it('refuses an endpoint whose place beside MCP is not reasoned', () => {
    for (const impact of ['cli_guided', 'frontend_only', 'out_of_scope'] as const) {
      const silent = contract({ mcpImpact: { class: impact, reason: ' ', covers: [] } });
      assert.throws(() => joinRoutes([silent], { thing: handler }), /does not say why/);
    }
    assert.equal(
      joinRoutes([contract({ mcpImpact: { class: 'mcp_ready', covers: ['get_thing'] } })], { thing: handler }).length,
      1,
    );
  });

  it('refuses a credential without a permission and a permission without a credential', () => {
    assert.throws(() => joinRoutes([contract({ auth: 'api_key' })], { thing: handler }), /must name a permission/);
    assert.throws(() => joinRoutes([contract({ permission: 'read' })], { thing: handler }), /must name a permission/);
  });
});

describe('matchPath', () => {
  const routes = joinRoutes([contract()], { thing: handler });

  it('decodes a path parameter and matches whole paths only', () => {
    assert.deepEqual(matchPath(routes, '/things/a%2Fb%20c')[0]?.params, { id: 'a/b c' });
    for (const path of ['/things', '/things/', '/things/a/', '/things/a/b', '/Things/a', '/things/%ff']) {
      assert.deepEqual(matchPath(routes, path), []);
    }
  });
});
