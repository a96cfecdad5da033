import assert from 'node:assert/strict';
import { datasetsWorld, ACCOUNT } from './datasets-world.ts';
import type { DatasetsWorld } from './datasets-world.ts';
import type { SpanFixture, TraceFixture } from './traces.ts';

const LOOK_UP = { id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{"order":"A-1"}' } };
const CONVERSATION = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where is A-1?' },
  { role: 'assistant', content: null, tool_calls: [LOOK_UP] },
  { role: 'tool', content: 'in transit', tool_call_id: 'c1' },
  { role: 'assistant', content: 'On its way.' },
];
const TOOL = {
  type: 'function',
  function: { name: 'look_up', description: 'Finds an order.', parameters: { type: 'object' } },
};

/** One conversation, as each kind of instrumentation records it on the model call. */
const DIALECTS: Readonly<Record<string, SpanFixture>> = {
  'OpenTelemetry GenAI attributes': {
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'Be brief.' }]),
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: 'Where is A-1?' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'look_up', arguments: { order: 'A-1' } }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'in transit' }] },
      ]),
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: 'On its way.' }], finish_reason: 'stop' },
      ]),
      'gen_ai.tool.definitions': JSON.stringify([{ ...TOOL.function, type: 'function' }]),
    },
  },
  'OpenTelemetry GenAI events': {
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.tool.definitions': JSON.stringify([TOOL]) },
    events: [
      { name: 'gen_ai.system.message', attributes: { content: 'Be brief.' } },
      { name: 'gen_ai.user.message', attributes: { content: 'Where is A-1?' } },
      { name: 'gen_ai.assistant.message', attributes: { tool_calls: JSON.stringify([LOOK_UP]) } },
      { name: 'gen_ai.tool.message', attributes: { id: 'c1', content: 'in transit' } },
      {
        name: 'gen_ai.choice',
        attributes: { index: 0, message: JSON.stringify({ role: 'assistant', content: 'On its way.' }) },
      },
    ],
  },
  OpenInference: {
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.input_messages.0.message.role': 'system',
      'llm.input_messages.0.message.content': 'Be brief.',
      'llm.input_messages.1.message.role': 'user',
      'llm.input_messages.1.message.contents.0.message_content.type': 'text',
      'llm.input_messages.1.message.contents.0.message_content.text': 'Where is A-1?',
      'llm.input_messages.2.message.role': 'assistant',
      'llm.input_messages.2.message.tool_calls.0.tool_call.id': 'c1',
      'llm.input_messages.2.message.tool_calls.0.tool_call.function.name': 'look_up',
      'llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments': '{"order":"A-1"}',
      'llm.input_messages.3.message.role': 'tool',
      'llm.input_messages.3.message.content': 'in transit',
      'llm.input_messages.3.message.tool_call_id': 'c1',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'On its way.',
      'llm.tools.0.tool.json_schema': JSON.stringify(TOOL),
    },
  },
  OpenLLMetry: {
    attributes: {
      'traceloop.span.kind': 'llm',
      'llm.request.type': 'chat',
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': 'Be brief.',
      'gen_ai.prompt.1.role': 'user',
      'gen_ai.prompt.1.content': 'Where is A-1?',
      'gen_ai.prompt.2.role': 'assistant',
      'gen_ai.prompt.2.tool_calls.0.id': 'c1',
      'gen_ai.prompt.2.tool_calls.0.name': 'look_up',
      'gen_ai.prompt.2.tool_calls.0.arguments': '{"order":"A-1"}',
      'gen_ai.prompt.3.role': 'tool',
      'gen_ai.prompt.3.content': 'in transit',
      'gen_ai.prompt.3.tool_call_id': 'c1',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'On its way.',
      'llm.request.functions.0.name': 'look_up',
      'llm.request.functions.0.description': 'Finds an order.',
      'llm.request.functions.0.parameters': '{"type":"object"}',
    },
  },
  'the Vercel AI SDK': {
    attributes: {
      'ai.prompt.messages': JSON.stringify([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Where is A-1?' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look_up', args: { order: 'A-1' } }],
        },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'look_up', result: 'in transit' }],
        },
      ]),
      'ai.prompt.tools': JSON.stringify([
        { type: 'function', name: 'look_up', description: 'Finds an order.', inputSchema: { type: 'object' } },
      ]),
      'ai.response.text': 'On its way.',
    },
  },
};

describe('rows from traces', function () {
  this.timeout(60_000);
  let world: DatasetsWorld;
  before(async () => {
    world = await datasetsWorld();
  });
  after(() => world.close());

  const rowsOf = async (traces: readonly TraceFixture[], sql: string) => {
    const projectId = await world.project();
    const traceIds = await world.ingest(projectId, traces);
    const { dataset } = await world.datasets.creation.fromTraces(projectId, {
      name: 'rows',
      accountId: ACCOUNT,
      traceIds,
    });
    const landed = await world.settled(dataset);
    assert.equal(landed.state, 'idle', landed.error);
    return world.rows(projectId, dataset.id, sql);
  };

  it('tell the same conversation whatever recorded it', async () => {
    const traces = Object.values(DIALECTS).map((call) => ({
      name: 'agent',
      children: [{ name: 'other' }, call, { name: 'later' }],
    }));
    const rows = await rowsOf(traces, 'SELECT input, output, messages, tools FROM t ORDER BY source_row');
    for (const [index, dialect] of Object.keys(DIALECTS).entries()) {
      assert.deepEqual(
        rows[index],
        { input: 'Where is A-1?', output: 'On its way.', messages: CONVERSATION, tools: [TOOL] },
        dialect,
      );
    }
  });

  it('take input, output and reference from the root where it has them, objects as JSON text', async () => {
    const rows = await rowsOf(
      [
        {
          name: 'structured',
          attributes: { 'input.value': '{"a":1}', 'traceloop.entity.output': 'done', 'overmind.expected_output': 'ok' },
        },
        { name: 'nothing at all' },
        { name: 'failed', error: 'gateway timed out', children: [{ attributes: { expected_output: 'from a child' } }] },
      ],
      `SELECT input, output, expected_output, status, messages, metadata->>'error_message' AS error FROM t ORDER BY source_row`,
    );
    assert.deepEqual(rows, [
      { input: '{"a":1}', output: 'done', expected_output: 'ok', status: 'ok', messages: null, error: null },
      { input: null, output: null, expected_output: null, status: 'ok', messages: null, error: null },
      {
        input: null,
        output: null,
        expected_output: 'from a child',
        status: 'error',
        messages: null,
        error: 'gateway timed out',
      },
    ]);
  });

  it('keep every digit of what a tool was called with and answered, and no character that a dataset may not hold', async () => {
    const output = [
      '[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"f",',
      '"arguments":{"big":9007199254740993,"small":-7,"a\\u0000":1,"text":"id 9007199254740993","list":[123456789012345678901234567890]}}]},',
      '{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":{"n":-9007199254740995}}]},',
      '{"role":"assistant","content":"a\\u0000b \\ud83c \\u0000integer:12"}]',
    ].join('');
    const [row] = await rowsOf(
      [{ name: 'exact', children: [{ attributes: { 'gen_ai.output.messages': output } }] }],
      'SELECT output, messages FROM t',
    );
    assert.deepEqual(row, {
      output: 'a\ufffdb \ufffd \ufffdinteger:12',
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: {
                name: 'f',
                arguments:
                  '{"big":9007199254740993,"small":-7,"a\ufffd":1,"text":"id 9007199254740993","list":[123456789012345678901234567890]}',
              },
            },
          ],
        },
        { role: 'tool', content: '{"n":-9007199254740995}', tool_call_id: 'c1' },
        { role: 'assistant', content: 'a\ufffdb \ufffd \ufffdinteger:12' },
      ],
    });
  });

  it('use the model call that saw most of the conversation', async () => {
    const call = (turns: readonly string[], answer: string): SpanFixture => ({
      attributes: {
        'gen_ai.input.messages': JSON.stringify(turns.map((content) => ({ role: 'user', content }))),
        'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: answer }]),
      },
    });
    const rows = await rowsOf(
      [
        {
          name: 'agent',
          children: [call(['a'], 'first'), call(['a', 'b', 'c'], 'longest'), call(['summarise'], 'last')],
        },
      ],
      'SELECT len(messages::JSON[]) AS turns, output FROM t',
    );
    assert.deepEqual(rows, [{ turns: 4, output: 'longest' }]);
  });
});
