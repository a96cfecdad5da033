import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import type { ToolContracts } from '../../generated/contracts/index.ts';
import { otlpExport, otlpSpan, spanId, traceId, type SpanLike } from '../domain/observability/support/otlp.ts';
import { readTrace } from '../resources/support/readings.ts';
import { given, type World } from '../support/given.ts';

type Sent = Omit<SpanLike, 'trace'>;

interface Batch {
  readonly service: string;
  readonly span: Sent;
}

const START = 1_762_500_000_000_000_000n;

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly body: Buffer;
  readonly json: Readonly<Record<string, unknown>>;
}

async function post(
  world: World,
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${world.server.origin}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': world.key, ...headers },
    body,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type');
  const isJson = type?.startsWith('application/json') === true;
  return {
    status: response.status,
    type,
    headers: response.headers,
    body: bytes,
    json: isJson ? JSON.parse(bytes.toString('utf8')) : {},
  };
}

const send = (world: World, ...spans: unknown[]) => post(world, JSON.stringify(otlpExport(spans)));

interface PartialSuccess {
  readonly rejectedSpans: string;
  readonly errorMessage: string;
}

function partialSuccessOf(answer: Answer): PartialSuccess {
  assert.equal(answer.status, 200);
  const { partialSuccess } = answer.json;
  assert.ok(partialSuccess !== undefined, 'the answer has no partial success');
  // because the OTLP answer has no other shape, and the assertions on it say so
  return partialSuccess as PartialSuccess;
}

async function rows(world: World, args: ToolContracts['query_traces']['call'] = {}) {
  return (await world.call('query_traces', args)).traces;
}

/** A field of protobuf that holds bytes. */
function message(field: number, content: Buffer): Buffer<ArrayBuffer> {
  const length: number[] = [];
  for (let rest = content.length; ; rest = Math.floor(rest / 128)) {
    length.push(rest >= 128 ? (rest % 128) + 128 : rest);
    if (rest < 128) break;
  }
  return Buffer.concat([Buffer.from([field * 8 + 2, ...length]), content]);
}

describe('POST /v1/traces', () => {
  describe('ids', () => {
    it('takes hexadecimal in either case and stores it in lower case', async () => {
      const world = await given.project();
      const [trace, span] = [traceId(), spanId()];
      const answer = await send(world, otlpSpan({ trace: trace.toUpperCase(), id: span.toUpperCase() }));
      assert.deepEqual([answer.status, answer.json], [200, {}]);
      assert.deepEqual(
        (await rows(world)).map((row) => [row.trace_id, row.span_id]),
        [[trace, span]],
      );
    });

    for (const [what, bad] of [
      ['base64', 'Z6z8LqVvEI+kU1/Ci6mXBQ=='],
      ['31 digits', 'a'.repeat(31)],
      ['only zeros', '0'.repeat(32)],
      ['a number', 12],
      ['nothing', undefined],
    ] as const) {
      it(`refuses the one span whose trace id is ${what} and stores the others`, async () => {
        const world = await given.project();
        const spans = Array.from({ length: 10 }, () => otlpSpan({}));
        const answer = await send(world, ...spans.with(4, { ...otlpSpan({}), traceId: bad }));
        const partial = partialSuccessOf(answer);
        assert.equal(partial.rejectedSpans, '1');
        assert.match(partial.errorMessage, /spans\[4\]: traceId must be 32 hexadecimal digits/);
        assert.equal((await rows(world, { limit: 100 })).length, 9);
      });
    }

    it('takes a parent of zeros, and of the span itself, for no parent', async () => {
      const world = await given.project();
      const own = spanId();
      await send(world, otlpSpan({ parent: '0'.repeat(16) }), otlpSpan({ id: own, parent: own }));
      assert.deepEqual(
        (await rows(world)).map((row) => row.trace_status),
        ['complete', 'complete'],
      );
    });
  });

  describe('numbers', () => {
    it('takes nanoseconds as text and as numbers, both to the last digit', async () => {
      const world = await given.project();
      const [text, number] = [traceId(), traceId()];
      const body = JSON.stringify(
        otlpExport([
          { ...otlpSpan({ trace: text }), startTimeUnixNano: '1762500000123456789', endTimeUnixNano: '0' },
          {
            ...otlpSpan({ trace: number }),
            startTimeUnixNano: '@start',
            endTimeUnixNano: '@end',
            name: 'a ":1762500000123456789" b',
          },
        ]),
      )
        .replace('"@start"', '1762500000123456781')
        .replace('"@end"', '1762500000123456999');
      assert.equal((await post(world, body)).status, 200);
      const found = await rows(world);
      assert.deepEqual(
        found.map((row) => [row.trace_id, row.start_time_ns, row.name]),
        [
          [text, '1762500000123456789', 'step'],
          [number, '1762500000123456781', 'a ":1762500000123456789" b'],
        ],
      );
    });

    it('keeps integers beyond 2^53 as text, names infinities, and keeps lists as lists', async () => {
      const world = await given.project();
      const trace = traceId();
      const attributes = [
        { key: 'big', value: { intValue: '9223372036854775807' } },
        { key: 'safe', value: { intValue: '-42' } },
        { key: 'bare', value: { intValue: '@bare' } },
        { key: 'nan', value: { doubleValue: 'NaN' } },
        { key: 'far', value: { doubleValue: 'Infinity' } },
        { key: 'list', value: { arrayValue: { values: [{ boolValue: true }, { bytesValue: 'AAEC' }, {}] } } },
        { key: 'none', value: { arrayValue: { values: [] } } },
        { key: 'words', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } } },
        { key: '__proto__', value: { stringValue: 'data' } },
      ];
      const body = JSON.stringify(otlpExport([{ ...otlpSpan({ trace }), attributes }])).replace(
        '"@bare"',
        '-9007199254740993',
      );
      assert.deepEqual((await post(world, body)).json, {});
      const { spans } = await readTrace(world, trace);
      assert.deepEqual(
        Object.entries(spans[0]?.attributes ?? {}).sort(([left], [right]) => (left < right ? -1 : 1)),
        [
          ['__proto__', 'data'],
          ['bare', '-9007199254740993'],
          ['big', '9223372036854775807'],
          ['far', 'Infinity'],
          ['list', [true, 'AAEC', null]],
          ['nan', 'NaN'],
          ['none', []],
          ['safe', -42],
          ['words', ['a', 'b']],
        ],
      );
    });

    it('takes names of enum values for their numbers', async () => {
      const world = await given.project();
      await send(world, otlpSpan({ kind: 'SPAN_KIND_CLIENT', status: { code: 'STATUS_CODE_ERROR', message: 'no' } }));
      assert.equal((await rows(world, { status: 'error' })).length, 1);
    });

    it('refuses a span whose time no column can hold', async () => {
      const world = await given.project();
      const late = { ...otlpSpan({}), endTimeUnixNano: '18446744073709551615' };
      const early = { ...otlpSpan({}), startTimeUnixNano: -5 };
      assert.equal(partialSuccessOf(await send(world, late, early, otlpSpan({}))).rejectedSpans, '2');
      assert.equal((await rows(world)).length, 1);
    });
  });

  describe('text', () => {
    it('replaces what the store cannot hold, says so, and keeps the whole batch', async () => {
      const world = await given.project();
      const [bad, good] = [traceId(), traceId()];
      const answer = await send(
        world,
        otlpSpan({ trace: bad, name: 'n\u0000', attributes: { 'k\u0000': 'a\u0000b', half: '\ud83c!', whole: '🎉' } }),
        otlpSpan({ trace: good }),
      );
      const partial = partialSuccessOf(answer);
      assert.equal(partial.rejectedSpans, '0');
      assert.match(partial.errorMessage, /^4 characters .* became U\+FFFD\.$/);
      const { spans } = await readTrace(world, bad);
      assert.equal(spans[0]?.name, 'n\ufffd');
      assert.deepEqual(spans[0]?.attributes, { 'k\ufffd': 'a\ufffdb', half: '\ufffd!', whole: '🎉' });
      assert.equal((await rows(world, { trace_id: good })).length, 1);
    });
  });

  describe('encodings', () => {
    it('unpacks gzip, and says what is wrong when the header is missing', async () => {
      const world = await given.project();
      const packed = gzipSync(JSON.stringify(otlpExport([otlpSpan({ name: 'packed' })])));
      const ok = await post(world, packed, { 'content-encoding': 'gzip' });
      assert.deepEqual([ok.status, ok.json], [200, {}]);
      assert.equal((await rows(world))[0]?.name, 'packed');
      const bare = await post(world, packed);
      assert.equal(bare.status, 400);
      assert.equal(bare.type, 'application/json');
      assert.match(String(bare.json['message']), /gzip/);
    });

    it('stops unpacking a bomb at its bound', async () => {
      const world = await given.project();
      const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '));
      assert.ok(bomb.length < 200_000);
      const before = process.memoryUsage().rss;
      const answer = await post(world, bomb, { 'content-encoding': 'gzip' });
      assert.deepEqual([answer.status, answer.json['code']], [413, 3]);
      assert.ok(process.memoryUsage().rss - before < 150 * 1024 * 1024);
      const small = gzipSync(Buffer.alloc(3 * 1024 * 1024, ' '));
      assert.equal((await post(world, small, { 'content-encoding': 'gzip' })).status, 413);
    });

    it('refuses torn gzip, other encodings and other types', async () => {
      const world = await given.project();
      const packed = gzipSync(JSON.stringify(otlpExport([otlpSpan({})])));
      assert.equal((await post(world, packed.subarray(0, -10), { 'content-encoding': 'gzip' })).status, 400);
      assert.equal((await post(world, 'no gzip at all', { 'content-encoding': 'gzip' })).status, 400);
      assert.equal((await post(world, '{}', { 'content-encoding': 'br' })).status, 415);
      assert.equal((await post(world, '{}', { 'content-type': 'text/plain' })).status, 415);
      assert.deepEqual(await rows(world), []);
    });

    it('refuses a body that is too large and keeps the connection for the next', async () => {
      const world = await given.project();
      const answer = await post(world, Buffer.alloc(17 * 1024 * 1024, ' '));
      assert.equal(answer.status, 413);
      assert.equal((await send(world, otlpSpan({}))).status, 200);
    });
  });

  describe('malformed requests', () => {
    for (const body of [
      '{',
      '[]',
      '"x"',
      'null',
      '',
      '{"resourceSpans": "x"}',
      '{"resourceSpans": [1]}',
      '{"resourceSpans": [{"scopeSpans": {}}]}',
      '{"resourceSpans": [{"scopeSpans": [{"spans": "x"}]}]}',
      '{"resourceSpans": [{"resource": {"attributes": [{"key": 1}]}}]}',
      '\u{feff}{}',
    ]) {
      it(`answers ${JSON.stringify(body)} with 400 and a status`, async () => {
        const answer = await post(await given.project(), body);
        assert.equal(answer.status, 400);
        assert.equal(answer.type, 'application/json');
        assert.equal(answer.json['code'], 3);
        assert.equal(typeof answer.json['message'], 'string');
      });
    }

    it('answers bytes that are no protobuf with 400 and a status in protobuf', async () => {
      const world = await given.project();
      const type = { 'content-type': 'application/x-protobuf' };
      const answer = await post(world, Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x01]), type);
      assert.deepEqual([answer.status, answer.type], [400, 'application/x-protobuf']);
      const status = protobuf
        .parse('syntax = "proto3"; message S { int32 code = 1; string message = 2; }')
        .root.lookupType('S')
        .decode(answer.body)
        .toJSON();
      assert.equal(status['code'], 3);
      assert.match(String(status['message']), /protobuf/);
    });

    it('takes an empty request for a request without spans', async () => {
      const world = await given.project();
      assert.deepEqual((await post(world, '{}')).json, {});
      assert.deepEqual((await post(world, '{"resourceSpans": null}')).json, {});
      const empty = await post(world, new Uint8Array(), { 'content-type': 'application/x-protobuf' });
      assert.deepEqual([empty.status, empty.body.length], [200, 0]);
    });

    it('refuses attributes that nest without end, and only their span', async () => {
      const world = await given.project();
      const depth = 5_000;
      const value = `${'{"arrayValue":{"values":['.repeat(depth)}{"stringValue":"x"}${']}}'.repeat(depth)}`;
      const deep = { ...otlpSpan({}), attributes: [{ key: 'deep', value: '@deep' }] };
      const body = JSON.stringify(otlpExport([deep, otlpSpan({})])).replace('"@deep"', value);
      assert.equal(partialSuccessOf(await post(world, body)).rejectedSpans, '1');
      assert.equal((await rows(world)).length, 1);
    });

    it('refuses protobuf that nests without end, and only its span', async () => {
      const world = await given.project();
      // AnyValue.array_value = 5 and ArrayValue.values = 1, one inside the other, with lengths as varints.
      let bytes: Buffer<ArrayBuffer> = Buffer.alloc(0);
      for (let depth = 0; depth < 10_000; depth += 1) bytes = message(depth % 2 === 0 ? 1 : 5, bytes);
      const keyValue = Buffer.concat([message(1, Buffer.from('k')), message(2, bytes)]);
      const ids = Buffer.concat([message(1, Buffer.alloc(16, 1)), message(2, Buffer.alloc(8, 2))]);
      const span = Buffer.concat([ids, message(9, keyValue)]);
      const body = message(1, message(2, message(2, span)));
      const answer = await post(world, body, { 'content-type': 'application/x-protobuf' });
      assert.equal(answer.status, 200);
      const { partial } = protobuf
        .parse('syntax = "proto3"; message A { P partial = 1; } message P { int64 rejected = 1; string why = 2; }')
        .root.lookupType('A')
        .decode(answer.body)
        .toJSON();
      assert.equal(partial.rejected, '1');
      assert.match(partial.why, /nested more than 32 levels deep/);
    });

    for (const [what, change] of [
      ['attributes are no array', { attributes: 'x' }],
      ['an attribute has no key', { attributes: [{ value: {} }] }],
      ['a value has no known kind', { attributes: [{ key: 'k', value: { odd: 1 } }] }],
      ['an integer is none', { attributes: [{ key: 'k', value: { intValue: '1.5' } }] }],
      ['the name is a number', { name: 5 }],
      ['the start is a word', { startTimeUnixNano: 'now' }],
      ['the status is a word', { status: 'error' }],
      ['an event is a word', { events: ['x'] }],
      ['a link points nowhere', { links: [{ traceId: 'x' }] }],
      ['the parent is short', { parentSpanId: 'ab' }],
    ] as const) {
      it(`refuses only the span whose shape is wrong: ${what}`, async () => {
        const world = await given.project();
        const answer = await send(world, { ...otlpSpan({}), ...change }, 'no span', otlpSpan({ name: 'good' }));
        assert.equal(partialSuccessOf(answer).rejectedSpans, '2');
        assert.deepEqual(
          (await rows(world)).map((row) => row.name),
          ['good'],
        );
      });
    }
  });

  describe('arrival', () => {
    const root = '00000000000000a1';
    const tool = '00000000000000b2';
    const ours: Sent = {
      id: root,
      name: 'answer a ticket',
      start: START,
      attributes: { 'overmind.capability': 'Desk', 'session.id': 'chat-1', 'input.value': 'where is it?' },
    };
    const below: Sent = {
      id: tool,
      parent: root,
      name: 'look up',
      start: START + 5n,
      attributes: { 'genai.cost': 0.1 },
    };
    const joining: Sent = {
      id: '00000000000000c3',
      parent: tool,
      name: 'joined',
      // The clock of that process is behind.
      start: START - 7n,
      attributes: {
        'input.value': 'something else',
        'session.id': 'chat-2',
        'genai.total_tokens': 5,
        'genai.cost': 0.2,
      },
    };
    const batches: readonly Batch[] = [
      { service: 'front', span: ours },
      { service: 'front', span: below },
      { service: 'worker', span: joining },
    ];

    const sendBatch = async (world: World, trace: string, { service, span }: Batch): Promise<void> => {
      const body = JSON.stringify(otlpExport([otlpSpan({ ...span, trace })], { 'service.name': service }));
      assert.deepEqual((await post(world, body)).json, {});
    };
    const stateOf = async (world: World, trace: string): Promise<unknown> => {
      const [row] = await rows(world, { trace_id: trace });
      const { session, ...tree } = await readTrace(world, trace);
      const state = JSON.stringify([row, session?.title, { ...tree, uri: '' }]).replaceAll(trace, 'T');
      return JSON.parse(state, (name, value: unknown) => (name === 'received_at' ? '' : value));
    };

    it('in any order, of one process or of two, makes one and the same tree, seen from its first batch on', async () => {
      const world = await given.project();
      let expected: unknown;
      for (const order of [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
      ]) {
        const trace = traceId();
        for (const [done, index] of order.entries()) {
          await sendBatch(world, trace, batches[index] ?? assert.fail());
          const { spans } = await readTrace(world, trace);
          assert.equal(spans.length, done + 1);
          assert.equal((await rows(world, { trace_id: trace }))[0]?.span_count, done + 1);
        }
        const state = await stateOf(world, trace);
        expected ??= state;
        assert.deepEqual(state, expected, order.join());
        const [row] = await rows(world, { trace_id: trace });
        const { root: first, spans } = await readTrace(world, trace);
        assert.deepEqual([row?.name, row?.session, row?.capability], ['answer a ticket', 'chat-1', 'desk']);
        assert.equal(first?.name, 'answer a ticket');
        const input = spans.find(({ span_id: id }) => id === root)?.attributes['input.value'];
        assert.equal(input, 'where is it?');
        assert.deepEqual([row?.total_tokens, row?.total_cost], [5, 0.3]);
      }
    });

    it('again and again, also at the same moment, counts once', async () => {
      const world = await given.project();
      const [once, often] = [traceId(), traceId()];
      for (const batch of batches) await sendBatch(world, once, batch);
      for (let time = 0; time < 3; time += 1) for (const batch of batches) await sendBatch(world, often, batch);
      const late = { service: 'worker', span: { ...joining, id: '00000000000000d4' } };
      await Promise.all([sendBatch(world, often, late), sendBatch(world, often, late), sendBatch(world, once, late)]);
      assert.deepEqual(await stateOf(world, often), await stateOf(world, once));
      const [row] = await rows(world, { trace_id: often });
      assert.deepEqual([row?.span_count, row?.total_tokens, row?.total_cost], [4, 10, 0.5]);
    });
  });

  describe('credentials', () => {
    it('wants a key that may write', async () => {
      const world = await given.project({ permissions: { read: true, write: false } });
      const refused = await send(world, otlpSpan({}));
      assert.deepEqual([refused.status, refused.type, refused.json['code']], [403, 'application/json', 7]);
      const without = await fetch(`${world.server.origin}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      assert.equal(without.status, 401);
      assert.ok(without.headers.get('www-authenticate'));
    });

    it('puts spans of an account key where X-Project-Id says, among its own projects only', async () => {
      const [world, stranger] = [await given.project(), await given.project()];
      const { key } = await world.withAccountKey();
      const body = JSON.stringify(otlpExport([otlpSpan({ name: 'from the account' })]));
      const to = (id?: string) =>
        post(world, body, { 'x-api-key': key, ...(id !== undefined && { 'x-project-id': id }) });
      assert.equal((await to(world.project.id)).status, 200);
      assert.equal((await to(stranger.project.id)).status, 403);
      assert.equal((await to()).status, 403);
      assert.equal((await rows(world)).length, 1);
      assert.deepEqual(await rows(stranger), []);
    });

    it('never puts spans of a project key anywhere else', async () => {
      const [world, other] = [await given.project(), await given.project()];
      const body = JSON.stringify(otlpExport([otlpSpan({})]));
      assert.equal((await post(world, body, { 'x-project-id': other.project.id })).status, 403);
      assert.deepEqual(await rows(other), []);
    });

    it('answers other methods with 405', async () => {
      const world = await given.project();
      const response = await fetch(`${world.server.origin}/v1/traces`, { headers: { 'x-api-key': world.key } });
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
    });
  });
});
