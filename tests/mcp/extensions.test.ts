import assert from 'node:assert/strict';
import type { Extensions, ExtensionTool } from '../../src/mcp/extensions.ts';
import { callTool, rpc, type Answer, type RpcOptions } from './support/rpc.ts';
import { CANARY, openRoom, type Account, type RunningRoom } from './support/stock-room.ts';

const FORM = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Sure?',
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
  },
};

function tool(name: string, permission: 'read' | 'write', run: ExtensionTool<Account>['run']): ExtensionTool<Account> {
  return {
    definition: { name, title: name, description: name, inputSchema: { type: 'object', properties: {} } },
    permission,
    run,
  };
}

const extensions: Extensions<Account> = {
  tools: [
    tool('a_picture', 'read', async () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] })),
    tool('asks_first', 'read', async (_args, call) => {
      if (call.state === undefined)
        return { inputRequests: { confirm: FORM }, requestState: await call.seal({ step: 1 }) };
      return { content: [{ type: 'text', text: JSON.stringify(call.state) }] };
    }),
    tool('breaks', 'read', async () => {
      throw new Error(`broken at /srv/app.ts:1 ${CANARY}`);
    }),
    tool('reports', 'read', async (_args, call) => {
      await call.progress(1, 2, 'half way');
      return { content: [{ type: 'text', text: 'done' }] };
    }),
    tool('writes', 'write', async () => ({ content: [] })),
  ],
};

describe('extensions', () => {
  let open: RunningRoom;
  before(async () => {
    open = await openRoom({ extensions });
  });
  after(() => open.close());

  const ask = (state: string | undefined, options: RpcOptions = {}): Promise<Answer> =>
    rpc(
      open.port,
      'tools/call',
      {
        name: 'asks_first',
        arguments: {},
        ...(state === undefined
          ? {}
          : { requestState: state, inputResponses: { confirm: { action: 'accept', content: { ok: true } } } }),
      },
      { era: 'modern', capabilities: { elicitation: { form: {} } }, ...options },
    );

  it('are listed beside the contract, sorted, and only to those who may call them', async () => {
    const { json } = await rpc(open.port, 'tools/list', {}, { key: 'key-reader' });
    const names: string[] = json.result.tools.map((listed: { name: string }) => listed.name);
    assert.deepEqual(names, names.toSorted());
    assert.ok(names.includes('a_picture') && !names.includes('writes'));
    const refused = await callTool(open.port, 'writes', {}, { key: 'key-reader' });
    assert.equal(JSON.parse(refused.json.result.content[0].text).error.code, 'permission_denied');
  });

  it('answer content that is not JSON', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const { json } = await callTool(open.port, 'a_picture', {}, { era });
      assert.equal(json.result.content[0].type, 'image');
    }
  });

  it('send progress on the stream of the call, and plain JSON to clients that read no streams', async () => {
    const streamed = await callTool(open.port, 'reports', {}, { meta: { progressToken: 'p' } });
    assert.equal(streamed.headers['content-type'], 'text/event-stream');
    assert.match(streamed.text, /notifications\/progress.*half way/);
    assert.equal(streamed.json.result.content[0].text, 'done');
    const plain = await callTool(open.port, 'reports', {}, { headers: { accept: 'application/json' } });
    assert.equal(plain.headers['content-type'], 'application/json');
    assert.equal(plain.json.result.content[0].text, 'done');
  });

  it('take their state back from the caller it was sealed for, and from nobody else', async () => {
    const first = await ask(undefined);
    assert.equal(first.json.result.resultType, 'input_required');
    const state = String(first.json.result.requestState);
    assert.equal((await ask(state)).json.result.content[0].text, '{"step":1}');
    for (const [altered, options] of [
      [state, { key: 'key-project-b' }],
      [`${state.slice(0, -2)}xx`, {}],
      ['nonsense', {}],
    ] as const) {
      const answer = await ask(altered, options);
      assert.equal(answer.json.error?.code, -32602, altered);
    }
  });

  it('leak no more than the contract does, and leave audit entries', async () => {
    const answer = await callTool(open.port, 'breaks');
    assert.equal(JSON.parse(answer.json.result.content[0].text).error.code, 'internal_error');
    assert.doesNotMatch(answer.text, /srv|sk_live/);
    assert.equal(open.room.audit.at(-1)?.name, 'breaks');
    assert.equal(open.room.audit.at(-1)?.outcome, 'internal_error');
  });
});
