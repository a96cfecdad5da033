import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ModelFault } from '../../../src/domain/models/index.ts';
import type { ModelFaultKind, ModelRequest } from '../../../src/domain/models/index.ts';
import { OpenAiChatModel } from '../../../src/providers/models/openai-chat-model.ts';
import {
  breaksOff,
  calls,
  completion,
  floods,
  hangs,
  json,
  ModelServer,
  raw,
  refuses,
  says,
  stalls,
  status,
  trickles,
} from '../../support/fakes/model-server.ts';
import type { ModelAnswer } from '../../support/fakes/model-server.ts';

const KEY = 'sk-provider-9f8e7d6c5b4a3210';

describe('a model behind the chat-completions protocol', () => {
  let server: ModelServer;

  before(async () => {
    server = await ModelServer.start();
  });
  beforeEach(() => {
    server.questions.length = 0;
  });
  after(() => server.stop());

  function model(more: { readonly timeoutMs?: number; readonly apiKey?: string } = {}): OpenAiChatModel {
    return new OpenAiChatModel({ url: server.url, model: 'some-model', timeoutMs: 5_000, retryBaseMs: 1, ...more });
  }

  function request(more: Partial<ModelRequest> = {}): ModelRequest {
    return {
      messages: [{ role: 'user', text: 'Hello' }],
      functions: [],
      maxOutputTokens: 64,
      signal: new AbortController().signal,
      ...more,
    };
  }

  async function fault(kind: ModelFaultKind, ...answers: readonly ModelAnswer[]): Promise<ModelFault> {
    server.will(...answers);
    try {
      await model({ timeoutMs: answers.includes(hangs) ? 300 : 10_000, apiKey: KEY }).complete(request());
    } catch (error) {
      assert.ok(error instanceof ModelFault, String(error));
      assert.equal(error.kind, kind);
      assert.doesNotMatch(error.message, /no\b.*leak|sk-|127\.0\.0\.1/);
      return error;
    }
    return assert.fail('an answer was taken');
  }

  it('sends the conversation with its functions and reads text, calls and usage', async () => {
    server.will(calls({ name: 'look', args: { at: 'rows' } }));
    const reply = await model({ apiKey: KEY }).complete(
      request({
        messages: [
          { role: 'system', text: 'Be brief.' },
          { role: 'assistant', text: '', calls: [{ id: 'call_1', name: 'look', arguments: '{}' }] },
          { role: 'function', callId: 'call_1', text: '{"data":1}' },
        ],
        functions: [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }],
      }),
    );
    assert.deepEqual(reply, {
      text: '',
      calls: [{ id: 'wanted_0', name: 'look', arguments: '{"at":"rows"}' }],
      ending: 'complete',
      usage: { inputTokens: 100, outputTokens: 20 },
    });
    const [question] = server.questions;
    assert.equal(question?.headers.authorization, `Bearer ${KEY}`);
    assert.deepEqual(question.body, {
      model: 'some-model',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '{"data":1}' },
      ],
      max_completion_tokens: 64,
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
        },
      ],
    });
  });

  it('sends no credential where none is set', async () => {
    server.will(says('Hi'));
    assert.equal((await model().complete(request())).text, 'Hi');
    assert.equal(server.questions[0]?.headers.authorization, undefined);
  });

  it('reads what servers make of the format', async () => {
    server.will(
      completion({ content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }] }, {}),
      completion({ content: '', tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }, 7, {}] }, {}),
      says('cut', { finish: 'length', usage: null }),
      refuses('I would rather not.'),
    );
    assert.equal((await model().complete(request())).text, 'a\nb');
    assert.deepEqual((await model().complete(request())).calls, [{ id: '', name: 'f', arguments: '{"x":1}' }]);
    assert.deepEqual(await model().complete(request()), { text: 'cut', calls: [], ending: 'cut' });
    assert.equal((await model().complete(request())).ending, 'refused');
  });

  for (const [what, answer] of [
    ['asks to slow down', status(429)],
    ['fails', status(503)],
    ['breaks off in its answer', breaksOff],
  ] as const) {
    it(`tries again when the server ${what}`, async () => {
      server.will(answer, answer, says('there'));
      assert.equal((await model().complete(request())).text, 'there');
      assert.equal(server.questions.length, 3);
    });
  }

  it('gives up after a few tries, and says what it was', async () => {
    const answers = (answer: ModelAnswer) => Array.from({ length: 9 }, () => answer);
    await fault('busy', ...answers(status(429, {}, 'leak')));
    assert.equal(server.questions.length, 3);
    await fault('unreachable', ...answers(status(500, {}, KEY)));
    await fault('unreachable', ...answers(breaksOff));
  });

  it('waits as long as the server asks, and not for one that asks for an hour', async () => {
    server.will(status(429, { 'retry-after': '1' }), says('there'));
    const startedAt = performance.now();
    await model().complete(request());
    assert.ok(performance.now() - startedAt >= 1_000, 'the server asked for a second');
    server.questions.length = 0;
    await fault('busy', status(429, { 'retry-after': '3600' }));
    assert.equal(server.questions.length, 1);
    const date = 'Mon, 30 Nov 2026 10:00:00 GMT';
    await fault('busy', status(429, { date, 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }));
    assert.equal(server.questions.length, 2);
  });

  it('does not try again what will not get better', async () => {
    await fault('denied', status(401));
    await fault('denied', status(403));
    await fault('rejected', status(400));
    await fault('rejected', status(404));
    assert.equal(server.questions.length, 4);
  });

  it('ends a try whose answer does not come or stalls in the middle', async () => {
    await fault('timeout', hangs, stalls, hangs);
    assert.equal(server.questions.length, 3);
  });

  it('takes nothing for an answer that is none', async () => {
    await fault('unreadable', raw('<html>Welcome</html>', 'text/html'));
    await fault('unreadable', raw('{"choices":[', 'application/json'));
    await fault('unreadable', raw('', 'application/json'));
    await fault('unreadable', json([]));
    await fault('unreadable', json({ choices: [] }));
    await fault('unreadable', json({ choices: [{ message: 'text' }] }));
    await fault(
      'unreachable',
      ...Array.from({ length: 4 }, () => status(302, { location: `${server.url}/elsewhere` })),
    );
  });

  it('stops reading an answer without end', async () => {
    await fault('too_large', floods(6 * 1024 * 1024));
    assert.equal(server.questions.length, 1);
  });

  it('stops at once when its work is stopped', async () => {
    for (const answer of [hangs, stalls, status(429, { 'retry-after': '50' })]) {
      server.will(answer);
      const abort = new AbortController();
      const stopped = new Error('stopped');
      const answered = model().complete(request({ signal: abort.signal }));
      setTimeout(() => abort.abort(stopped), 100);
      await assert.rejects(answered, (error) => error === stopped);
    }
  });

  it('ends a try in time although garbage is collected while its answer trickles in', async () => {
    setFlagsFromString('--expose-gc');
    // because the flag makes this global function
    const collect = runInNewContext('gc') as () => void;
    const collecting = setInterval(collect, 50);
    try {
      await fault('timeout', trickles, trickles, hangs);
      assert.equal(server.questions.length, 3);
    } finally {
      clearInterval(collecting);
    }
  });

  it('says that a server cannot be reached', async () => {
    const gone = await ModelServer.start();
    const { url } = gone;
    await gone.stop();
    const unreachable = new OpenAiChatModel({ url, model: 'm', timeoutMs: 5_000, retryBaseMs: 1 });
    await assert.rejects(
      unreachable.complete(request()),
      (error) => error instanceof ModelFault && error.kind === 'unreachable',
    );
  });
});
