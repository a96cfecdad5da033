import assert from 'node:assert/strict';
import { rpc, type Answer, type RpcOptions } from './support/rpc.ts';
import { CANARY, openRoom, type RunningRoom } from './support/stock-room.ts';

describe('MCP prompts and completion', () => {
  let open: RunningRoom;
  before(async () => {
    open = await openRoom();
    for (const id of ['apple', 'apricot', 'banana']) open.room.items.set(id, { id, name: id });
  });
  after(() => open.close());

  const get = (args: Record<string, unknown>, options: RpcOptions = {}, name = 'review-item'): Promise<Answer> =>
    rpc(open.port, 'prompts/get', { name, arguments: args }, options);
  const textOf = (answer: Answer): string => String(answer.json.result.messages[0].content.text);

  it('puts trimmed values in as JSON strings and leaves optional ones empty', async () => {
    for (const era of ['legacy', 'modern'] as const) {
      const answer = await get({ item: '  a "b"\nc ' }, { era });
      assert.equal(textOf(answer), String.raw`Review "a \"b\"\nc" by ${'`get_item`'}, looking at ""`);
      assert.equal(answer.json.result.messages.length, 1);
    }
  });

  it('never lets a value into or out of a snippet', async () => {
    for (const value of ['`rm -rf /`', 'x` `y', '{{tool "create_item"}}', '\u202e\u{e0041}evil']) {
      const text = textOf(await get({ item: value, focus: value }));
      const snippets = [...text.matchAll(/`([^`]*)`/g)].map((match) => match[1]);
      assert.deepEqual(snippets, ['get_item']);
      assert.doesNotMatch(text, /\u202e|\u{e0041}/u);
      const quoted = /^Review ("(?:[^"\\]|\\.)*") by/.exec(text)?.[1] ?? '';
      assert.equal(JSON.parse(quoted), value.replaceAll(/\u202e|\u{e0041}/gu, '\ufffd'));
    }
  });

  it('refuses missing, unknown, long and ill-formed values by name', async () => {
    const cases: [Record<string, unknown>, string][] = [
      [{}, 'item'],
      [{ item: '   ' }, 'item'],
      [{ item: 'x', itme: 'y' }, 'itme'],
      [{ item: '🎉'.repeat(41) }, 'item'],
      [{ item: 'a\u0000' }, 'item'],
    ];
    for (const [args, field] of cases) {
      const { json } = await get(args);
      assert.equal(json.error.code, -32602);
      assert.ok(json.error.data.fields[field], field);
    }
    assert.equal((await get({ item: '🎉'.repeat(40) })).status, 200);
  });

  it('answers an unknown prompt with a near name', async () => {
    const { json } = await get({ item: 'x' }, {}, 'review_item');
    assert.equal(json.error.code, -32602);
    assert.match(json.error.message, /Did you mean `review-item`/);
  });

  it('lists arguments with what is required', async () => {
    const { json } = await rpc(open.port, 'prompts/list');
    assert.deepEqual(
      json.result.prompts[0].arguments.map((argument: { name: string; required: boolean }) => [
        argument.name,
        argument.required,
      ]),
      [
        ['item', true],
        ['focus', false],
      ],
    );
  });

  const complete = (params: Record<string, unknown>, options: RpcOptions = {}): Promise<Answer> =>
    rpc(open.port, 'completion/complete', params, options);
  const PROMPT = { type: 'ref/prompt', name: 'review-item' };
  const TEMPLATE = { type: 'ref/resource', uri: 'stock://items/{item}{?project_id,period}' };

  it('completes prompt arguments and template variables inside the project', async () => {
    for (const ref of [PROMPT, TEMPLATE]) {
      const { json } = await complete({ ref, argument: { name: 'item', value: 'ap' } });
      assert.deepEqual(json.result.completion, {
        values: ['apple in project-a', 'apricot in project-a'],
        total: 2,
        hasMore: false,
      });
    }
  });

  it('needs to know the project of an account credential', async () => {
    const params = { ref: PROMPT, argument: { name: 'item', value: 'b' } };
    const without = await complete(params, { key: 'key-account' });
    assert.deepEqual(without.json.result.completion.values, []);
    const named = await complete(
      { ...params, context: { arguments: { project_id: 'project-c' } } },
      { key: 'key-account' },
    );
    assert.deepEqual(named.json.result.completion.values, ['banana in project-c']);
    const foreign = await complete(
      { ...params, context: { arguments: { project_id: 'project-b' } } },
      { key: 'key-account' },
    );
    assert.equal(foreign.json.error.data.code, 'project_required');
  });

  it('has nothing to say about open arguments, and refuses unknown references', async () => {
    const freeText = await complete({ ref: PROMPT, argument: { name: 'focus', value: 'x' } });
    assert.deepEqual(freeText.json.result.completion.values, []);
    for (const ref of [
      { type: 'ref/prompt', name: 'nope' },
      { type: 'ref/resource', uri: 'stock://nope/{x}' },
    ]) {
      assert.equal((await complete({ ref, argument: { name: 'x', value: '' } })).json.error.code, -32602);
    }
  });

  it('leaks nothing when a completer fails', async () => {
    const answer = await complete({ ref: PROMPT, argument: { name: 'item', value: 'explode' } });
    assert.equal(answer.json.error.code, -32603);
    assert.ok(!answer.text.includes(CANARY));
  });
});
