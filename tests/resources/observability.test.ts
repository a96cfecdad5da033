import assert from 'node:assert/strict';
import { exportSpans } from '../domain/observability/support/export.ts';
import { spanId, traceId } from '../domain/observability/support/otlp.ts';
import { given, type World } from '../support/given.ts';
import { readCapability, readSession, readTrace } from './support/readings.ts';

const START = 1_762_500_000_000_000_000n;

async function complete(world: World, uri: string, name: string, value: string): Promise<unknown> {
  const { result } = await world.rpc('completion/complete', {
    ref: { type: 'ref/resource', uri },
    argument: { name, value },
  });
  // because a completion answers exactly this
  return (result?.['completion'] as { values: unknown } | undefined)?.values;
}

describe('overmind://traces/{trace_id}', () => {
  it('shows the spans of a trace with all that was recorded', async () => {
    const world = await given.project();
    const [trace, root, child] = [traceId(), spanId(), spanId()];
    await exportSpans(world, [
      {
        trace,
        id: root,
        name: 'agent',
        start: START,
        durationMs: 12.5,
        status: { code: 1 },
        attributes: { 'session.id': 'chat-1', 'overmind.capability': 'Desk', nested: { list: [1, 'two'] } },
      },
      {
        trace,
        id: child,
        parent: root,
        name: 'chat',
        start: START + 1n,
        status: { code: 2, message: 'overloaded' },
        attributes: { model: 'large', 'gen_ai.operation.name': 'chat', 'genai.total_tokens': 8, 'genai.cost': 0.005 },
        events: [{ name: 'retry', attributes: { attempt: 2 } }],
      },
    ]);
    const payload = await readTrace(world, trace.toUpperCase());
    const session = payload.session?.uri ?? '';
    assert.deepEqual(payload, {
      uri: `overmind://traces/${trace}`,
      kind: 'trace',
      trace_id: trace,
      span_count: 2,
      error_count: 1,
      total_tokens: 8,
      total_cost: 0.005,
      truncated: false,
      next_cursor: null,
      session: { uri: session, title: 'Session chat-1', mimeType: 'application/json' },
      root: { span_id: root, name: 'agent', capability: 'desk', status_code: 1, duration_ms: 12.5 },
      spans: [
        {
          span_id: root,
          name: 'agent',
          span_type: 'span',
          service_name: 'support-agent',
          status_code: 1,
          start_time_ns: START.toString(),
          end_time_ns: (START + 12_500_000n).toString(),
          duration_ms: 12.5,
          attributes: { 'session.id': 'chat-1', 'overmind.capability': 'Desk', nested: { list: [1, 'two'] } },
          resource_attributes: { 'service.name': 'support-agent' },
        },
        {
          span_id: child,
          parent_span_id: root,
          name: 'chat',
          span_type: 'llm_call',
          operation: 'chat',
          service_name: 'support-agent',
          status_code: 2,
          status_message: 'overloaded',
          start_time_ns: (START + 1n).toString(),
          end_time_ns: (START + 5_000_001n).toString(),
          duration_ms: 5,
          model: 'large',
          total_tokens: 8,
          total_cost: 0.005,
          attributes: { model: 'large', 'gen_ai.operation.name': 'chat', 'genai.total_tokens': 8, 'genai.cost': 0.005 },
          events: [{ name: 'retry', time_ns: (START + 1n).toString(), attributes: { attempt: 2 } }],
          events_truncated: false,
          resource_attributes: { 'service.name': 'support-agent' },
        },
      ],
    });
    assert.equal((await world.read(session))['external_id'], 'chat-1');
  });

  it('shows a hundred spans whole, and of more the first hundred with a way to the rest', async () => {
    const world = await given.project();
    const trace = traceId();
    const step = (index: number) => ({ trace, start: START + BigInt(index), name: `step ${index}` });
    await exportSpans(
      world,
      Array.from({ length: 100 }, (_, index) => step(index)),
    );
    const whole = await readTrace(world, trace);
    assert.deepEqual([whole.spans.length, whole.truncated, whole.next_cursor], [100, false, null]);
    await exportSpans(world, [step(100)]);
    const first = await readTrace(world, trace);
    assert.deepEqual([first.spans.length, first.truncated, first.span_count], [100, true, 101]);
    const rest = await readTrace(world, trace, first.next_cursor);
    assert.deepEqual(
      rest.spans.map((span) => span.name),
      ['step 100'],
    );
    await world.refusesRead(`overmind://traces/${traceId()}?cursor=${first.next_cursor}`, 'invalid_filter');
  });

  it('stays small when the trace has 2,000 spans of 4 kB, and its cursors recover every span', async () => {
    const world = await given.project();
    const trace = traceId();
    const ids = Array.from({ length: 2_000 }, spanId);
    const text = 'ß'.repeat(2_000);
    await exportSpans(
      world,
      ids.map((id, index) => ({ trace, id, start: START + BigInt(index), attributes: { text } })),
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await readTrace(world, trace, cursor);
      assert.ok(Buffer.byteLength(JSON.stringify(page)) <= 60_000);
      assert.equal(page.truncated, page.next_cursor !== null);
      seen.push(...page.spans.map((span) => span.span_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(seen, ids);
  });

  it('cuts long values where they are and marks them, never inside a character', async () => {
    const world = await given.project();
    const trace = traceId();
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`key ${index}`, index]));
    await exportSpans(world, [
      {
        trace,
        status: { code: 2, message: `m${'🎉'.repeat(1_000)}` },
        attributes: { long: `x${'🎉'.repeat(9_000)}` },
        events: Array.from({ length: 25 }, (_, index) => ({
          name: `event ${index}`,
          attributes: { v: 'y'.repeat(3_000) },
        })),
      },
      { trace, start: START + 1n, attributes: many },
      {
        trace,
        start: START + 2n,
        attributes: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}`, '€'.repeat(9_000)])),
      },
    ]);
    const { spans } = await readTrace(world, trace);
    const text = JSON.stringify(spans);
    assert.ok(Buffer.byteLength(text) <= 60_000, `${Buffer.byteLength(text)} bytes`);
    assert.ok(!/\p{Surrogate}/u.test(text));
    assert.match(String(spans[0]?.attributes['long']), /^x(🎉)+… \[cut \d+ characters\]$/u);
    assert.match(spans[0]?.status_message ?? '', /\[cut \d+ characters\]$/);
    assert.deepEqual([spans[0]?.events?.length, spans[0]?.events_truncated], [20, true]);
    assert.match(text, /cut 50 more members/);
  });

  it('takes secrets out by name and by shape, and leaves measurements', async () => {
    const world = await given.project();
    const trace = traceId();
    await exportSpans(world, [
      {
        trace,
        attributes: {
          error: '401 from api: key sk_live_51H8abcdEFGHijkl rejected',
          header: 'authorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc',
          headers: { accessToken: 'canary-1', 'private-key': 'canary-2', 'REFRESH.TOKEN': 'canary-3' },
          total_tokens: 12,
          max_tokens: 512,
        },
      },
    ]);
    const payload = await readTrace(world, trace);
    assert.doesNotMatch(JSON.stringify(payload), /sk_live_51H8|eyJhbGci|canary/);
    assert.deepEqual(
      [payload.spans[0]?.attributes['total_tokens'], payload.spans[0]?.attributes['max_tokens']],
      [12, 512],
    );
  });

  it("answers unknown, malformed and another project's ids alike", async () => {
    const [world, other] = [await given.project(), await given.project()];
    const trace = traceId();
    await exportSpans(other, [{ trace, attributes: { 'session.id': 'theirs', 'overmind.capability': 'Theirs' } }]);
    const answers = await Promise.all(
      [trace, traceId(), 'nothing'].map(
        async (id) => (await world.rpc('resources/read', { uri: `overmind://traces/${id}` })).error,
      ),
    );
    assert.equal(answers[0]?.data?.['code'], 'resource_not_found');
    assert.deepEqual(answers[1], { ...answers[0], data: answers[1]?.data });
    assert.equal(answers[1]?.message, answers[0]?.message);
    assert.equal(answers[2]?.message, answers[0]?.message);
    await world.refusesRead('overmind://sessions/theirs', 'resource_not_found');
    await world.refusesRead('overmind://capabilities/theirs', 'capability_not_found');
  });
});

describe('overmind://sessions/{session}', () => {
  it('links the newest traces and is found by either id', async () => {
    const world = await given.project();
    await exportSpans(
      world,
      Array.from({ length: 51 }, (_, index) => ({
        name: `turn ${index}`,
        start: START + BigInt(index),
        attributes: {
          'conversation.id': 'a chat / with marks',
          'overmind.session.name': 'Parcel',
          'overmind.capability': 'Desk',
        },
      })),
    );
    const session = await readSession(world, 'a chat / with marks');
    assert.deepEqual(
      [session.name, session.capability, session.trace_count, session.truncated, session.traces.length],
      ['Parcel', 'desk', 51, true, 50],
    );
    assert.equal(session.traces[0]?.title, 'Trace turn 50');
    assert.deepEqual(await readSession(world, session.id), session);
    const { traces } = await world.call('query_traces', { session: session.id, limit: 100 });
    assert.equal(traces.length, 51);
  });

  it('completes ids by their beginning, in this project only', async () => {
    const [world, other] = [await given.project(), await given.project()];
    const ids = ['chat-1', 'chat-2', 'chat_3', 'other'];
    await exportSpans(
      world,
      ids.map((id) => ({ attributes: { 'session.id': id } })),
    );
    await exportSpans(other, [{ attributes: { 'session.id': 'chat-theirs' } }]);
    assert.deepEqual(await complete(world, 'overmind://sessions/{session}', 'session', 'chat-'), ['chat-1', 'chat-2']);
    assert.deepEqual(await complete(world, 'overmind://sessions/{session}', 'session', 'chat_'), ['chat_3']);
  });
});

describe('overmind://capabilities/{capability}', () => {
  it('tells what traffic says of a capability, by every name it has', async () => {
    const world = await given.project();
    await exportSpans(world, [
      { attributes: { 'overmind.capability.id': 'cap-7', 'overmind.capability.name': 'Ticket Triage', model: 'a' } },
    ]);
    await exportSpans(world, [
      { attributes: { 'overmind.capability.id': 'cap-7', 'overmind.capability.name': 'Triage', model: 'b' } },
    ]);
    const capability = await readCapability(world, 'ticket-triage');
    assert.deepEqual(
      [
        capability.name,
        capability.slug,
        capability.status,
        capability.observed,
        capability.trace_count,
        capability.model,
      ],
      ['Ticket Triage', 'ticket-triage', 'current', true, 2, 'b'],
    );
    assert.deepEqual(capability.aliases, [
      { kind: 'id', value: 'cap-7' },
      { kind: 'name', value: 'ticket triage' },
      { kind: 'name', value: 'triage' },
      { kind: 'slug', value: 'ticket-triage' },
    ]);
    assert.match(capability.last_seen_at ?? '', /Z$/);
    for (const name of [capability.id, 'TICKET TRIAGE', 'triage', 'cap-7']) {
      assert.deepEqual(await readCapability(world, name), capability, name);
    }
  });

  it('completes names by their beginning, whatever their case', async () => {
    const world = await given.project();
    await exportSpans(
      world,
      ['Refunds', 'refund checks', 'Orders'].map((name) => ({ attributes: { 'overmind.capability': name } })),
    );
    const values = await complete(world, 'overmind://capabilities/{capability}', 'capability', 'REF');
    assert.deepEqual(values, ['refund checks', 'Refunds']);
  });
});
