import assert from 'node:assert/strict';
import fc from 'fast-check';
import { callTool, rpc, type Answer, type Era } from './support/rpc.ts';
import { CANARY, ITEM_URI, openRoom, type RunningRoom } from './support/stock-room.ts';

const NOT_FOUND: Readonly<Record<Era, number>> = { legacy: -32002, modern: -32602 };

describe('MCP resources', () => {
  let open: RunningRoom;
  before(async () => {
    open = await openRoom();
    open.room.items.set('ds_1', { id: 'ds_1', name: 'one' });
    open.room.items.set('foreign', { id: 'foreign', name: 'of project b' });
  });
  after(() => open.close());

  const read = (uri: string, options: Parameters<typeof rpc>[3] = {}): Promise<Answer> =>
    rpc(open.port, 'resources/read', { uri }, options);
  // oxlint-disable-next-line typescript/no-explicit-any -- payloads of any shape
  const payload = (answer: Answer): any => JSON.parse(answer.json.result.contents[0].text);

  it('reads a fixed resource without a project', async () => {
    const { json } = await read('stock://help', { key: 'key-account' });
    assert.deepEqual(json.result.contents, [
      { uri: 'stock://help', mimeType: 'text/plain', text: 'List items, then read one.' },
    ]);
  });

  it('still refuses a project the caller cannot use', async () => {
    assert.equal((await read('stock://help?project_id=project-a')).status, 200);
    const { json } = await read('stock://help?project_id=project-b');
    assert.equal(json.error.data.code, 'project_required');
  });

  it('reads by variable, with the query in any order and never as part of the variable', async () => {
    for (const uri of [
      'stock://items/ds_1',
      'stock://items/ds_1?project_id=project-a',
      'stock://items/ds_1?period=1h&project_id=project-a',
    ]) {
      const answer = await read(uri);
      assert.equal(payload(answer).item.id, 'ds_1');
      assert.equal(payload(answer).period, uri.includes('period') ? '1h' : undefined);
      assert.equal(answer.json.result.contents[0].uri, uri);
    }
  });

  it('needs the project of an account credential and names it in every link of the payload', async () => {
    assert.equal((await read('stock://items/ds_1', { key: 'key-account' })).json.error.data.code, 'project_required');
    const shown = payload(await read('stock://items/ds_1?project_id=project-c', { key: 'key-account' }));
    assert.equal(shown.uri, 'stock://items/ds_1?project_id=project-c');
    assert.equal(shown.resource.uri, 'stock://items/ds_1?project_id=project-c');
  });

  it('follows every link a tool gives, whatever the id is made of', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), async (id) => {
        // Text with unseen characters is shown neutralised, so it is no id to compare by.
        fc.pre(!/\p{Surrogate}|\p{Control}|\p{Format}|\p{Zl}|\p{Zp}/u.test(id));
        open.room.items.set(id, { id, name: 'x' });
        const { json } = await callTool(open.port, 'get_item', { item: id });
        const answer = await read(json.result.content[1].uri);
        assert.equal(payload(answer).item.id, id);
      }),
      { numRuns: 200 },
    );
    open.room.items.set('run 7/ü%', { id: 'run 7/ü%', name: 'x' });
    assert.equal(payload(await read(ITEM_URI.expand({ item: 'run 7/ü%' }), { era: 'modern' })).item.id, 'run 7/ü%');
  });

  it('refuses malformed escapes and URIs as bad parameters', async () => {
    for (const uri of [
      'stock://items/%ZZ',
      'stock://items/%',
      'stock://items/a?project_id=%ZZ',
      'stock://items/ds_1#part',
      `stock://items/${'x'.repeat(3000)}`,
    ]) {
      const { status, json } = await read(uri);
      assert.deepEqual([status, json.error.code], [200, -32602], uri);
    }
  });

  it('refuses unknown, repeated and bad parameters by name', async () => {
    for (const [query, field] of [
      ['zzz=1', 'zzz'],
      ['project_id=project-a&project_id=project-a', 'project_id'],
      ['period=2y', 'period'],
    ] as const) {
      const { json } = await read(`stock://items/ds_1?${query}`);
      assert.equal(json.error.code, -32602);
      assert.equal(json.error.data.code, 'invalid_input');
      assert.ok(json.error.data.fields[field], field);
    }
  });

  it('answers absent, foreign and impossible entities with the same words', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const answers = await Promise.all(
        ['absent', 'foreign', 'x'.repeat(300)].map((id) => read(`stock://items/${id}`, { era })),
      );
      const shown = answers.map(({ json }) => {
        const { uri, ...data } = json.error.data;
        assert.match(uri, /^stock:\/\/items\//);
        return { ...json.error, data };
      });
      assert.equal(shown[0].code, NOT_FOUND[era]);
      assert.equal(shown[0].data.code, 'item_not_found');
      assert.deepEqual(shown[1], shown[0]);
      assert.deepEqual(shown[2], shown[0]);
      const unknown = await read('stock://nothing/here', { era });
      assert.equal(unknown.json.error.code, NOT_FOUND[era]);
      assert.equal(unknown.json.error.data.code, 'resource_not_found');
    }
  });

  it('leaks nothing of what went wrong inside', async () => {
    const answer = await read('stock://items/explode');
    assert.equal(answer.json.error.code, -32603);
    assert.equal(answer.json.error.data.fields.request_id, answer.headers['x-request-id']);
    assert.doesNotMatch(answer.text, /select|srv|sk_live/);
  });

  it('takes secrets and unseen characters out of payloads', async () => {
    open.room.items.set('dirty', {
      id: 'dirty',
      name: `401 key ${CANARY} rejected\u202e`,
      note: 'authorization: Bearer eyJhbGciOi',
    });
    const answer = await read('stock://items/dirty');
    assert.equal(payload(answer).item.name, '401 key [redacted] rejected\ufffd');
    assert.doesNotMatch(answer.text, /sk_live|eyJ/);
  });

  it('lists addresses and templates with every parameter', async () => {
    const list = await rpc(open.port, 'resources/list');
    assert.deepEqual(
      list.json.result.resources.map((resource: { uri: string }) => resource.uri),
      ['stock://help'],
    );
    const templates = await rpc(open.port, 'resources/templates/list');
    assert.deepEqual(
      templates.json.result.resourceTemplates.map((resource: { uriTemplate: string }) => resource.uriTemplate),
      ['stock://items/{item}{?project_id,period}'],
    );
  });

  it('needs the read permission', async () => {
    const { json } = await read('stock://help', { key: 'key-writer' });
    assert.equal(json.error.data.code, 'permission_denied');
    assert.deepEqual((await rpc(open.port, 'resources/list', {}, { key: 'key-writer' })).json.result.resources, []);
  });

  it('tells clients of the 2026 revision how long they may keep an answer', async () => {
    const { json } = await read('stock://help', { era: 'modern' });
    assert.deepEqual(
      [json.result.ttlMs, json.result.cacheScope, json.result.resultType],
      [60_000, 'private', 'complete'],
    );
  });
});
