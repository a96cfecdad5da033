import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { ApiError, createClient } from '../../generated/client/index.ts';
import { endpoints } from '../../generated/rest/endpoints.ts';
import { newId } from '../../src/kernel/ids.ts';
import { given } from '../support/given.ts';
import { sharedServer } from '../support/mcp.ts';

async function refused(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (fault: unknown) => fault,
  );
  assert.ok(error instanceof ApiError, `must be refused, and gave ${String(error)}`);
  return error;
}

describe('The generated REST client', () => {
  it('makes a project, then a key that works in it alone', async () => {
    const { origin } = await sharedServer();
    const person = await given.account();
    const client = createClient({ origin, apiKey: person.key });
    const project = await client.create_project({ body: { name: 'From the client' } });
    assert.equal(project.slug.startsWith('from-the-client'), true);
    assert.match(project.console_url, new RegExp(`projectId=${project.id}$`));
    const { projects, next_cursor } = await client.get_projects({ parameters: {} });
    assert.deepEqual([projects, next_cursor], [[project], null]);
    const made = await client.create_project_key({
      parameters: { project_id: project.id },
      body: { name: 'repository', access: 'read_write', expires_in_days: 30 },
    });
    const narrow = createClient({ origin, apiKey: made.key });
    assert.deepEqual((await narrow.get_projects({ parameters: {} })).projects, [project]);
    assert.equal((await refused(narrow.create_project({ body: { name: 'no' } }))).code, 'permission_denied');
    const more = narrow.create_project_key({
      parameters: { project_id: project.id },
      body: { name: 'no', access: 'read' },
    });
    assert.equal((await refused(more)).code, 'permission_denied');
  });

  it('gives refusals as errors with the codes of the contract', async () => {
    const { origin } = await sharedServer();
    const person = await given.account();
    const theirs = await given.project();
    const client = createClient({ origin, apiKey: person.key });
    const anonymous = await refused(createClient({ origin }).get_projects({ parameters: {} }));
    assert.deepEqual([anonymous.status, anonymous.code], [401, 'authentication_required']);
    const wrong = await refused(client.create_project({ body: { name: '', slug: 'Not A Slug' } }));
    assert.equal(wrong.code, 'invalid_input');
    assert.deepEqual(Object.keys(wrong.fields).sort(), ['name', 'slug']);
    const foreign = { parameters: { project_id: theirs.project.id }, body: { name: 'no', access: 'read' as const } };
    assert.equal((await refused(client.create_project_key(foreign))).code, 'resource_not_found');
    const absent = { ...foreign, parameters: { project_id: newId() } };
    assert.equal((await refused(client.create_project_key(absent))).code, 'resource_not_found');
    const cursor = await refused(client.get_projects({ parameters: { cursor: 'forged' } }));
    assert.equal(cursor.code, 'invalid_filter');
    const reader = await given.account({ permissions: { read: true, write: false } });
    const denied = createClient({ origin, apiKey: reader.key }).create_project({ body: { name: 'no' } });
    assert.equal((await refused(denied)).code, 'permission_denied');
  });

  it('refuses members the contract does not know', async () => {
    const { origin } = await sharedServer();
    const { key } = await given.account();
    const response = await fetch(`${origin}/api/v1/projects`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'a', owner: 'me' }),
    });
    assert.equal(response.status, 400);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.deepEqual(Object.keys(((await response.json()) as { readonly fields: object }).fields), ['owner']);
  });
});

describe('openapi.json', () => {
  it('describes every operation, and its references lead somewhere', () => {
    const text = readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8');
    const document = JSON.parse(text);
    assert.equal(document.openapi, '3.1.0');
    for (const { name, path, method } of endpoints) {
      assert.equal(document.paths[path][method.toLowerCase()].operationId, name);
    }
    const wanted = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? '');
    assert.ok(wanted.length > 0);
    for (const name of wanted) assert.ok(name in document.components.schemas, name);
    assert.ok(!text.includes('$defs') && !text.includes('model:') && !text.includes('id_kind'));
  });
});
