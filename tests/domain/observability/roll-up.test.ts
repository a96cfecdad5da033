import assert from 'node:assert/strict';
import { spanId, traceId, type SpanLike } from './support/otlp.ts';
import { makeWorld, type World } from './support/world.ts';

const START = 1_762_500_000_000_000_000n;

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  );
}

/** What a trace comes to, without the times of receipt. */
async function stateOf(world: World, trace: string) {
  const [row] = await world.list({ traceId: trace });
  const { nextCursor, ...view } = await world.traces.read(world.projectId, trace);
  assert.equal(nextCursor, undefined);
  const { receivedAt, session, ...stable } = row ?? assert.fail('the trace is not listed');
  assert.match(receivedAt, /^\d{4}-.*\.\d{6}Z$/);
  const executions = await world.taskExecutions.list(world.projectId, { traceId: trace, limit: 10 });
  return {
    row: stable,
    session,
    root: view.root,
    tree: view.spans.map((span) => [span.spanId, span.parentSpanId, span.name]),
    totals: [view.spanCount, view.errorCount, view.totalTokens, view.totalCost],
    executions: executions.rows.map(({ id, ...execution }) => ({ ...execution, hasId: id !== '' })),
  };
}

/** A root, model calls below it, and a span that another process adds with a name and input of its own. */
function threeBatches(trace: string): SpanLike[][] {
  const [root, tool, joining] = ['00000000000000a1', '00000000000000b2', '00000000000000c3'];
  const at = (ms: number) => START + BigInt(ms) * 1_000_000n;
  return [
    [
      {
        trace,
        id: root,
        name: 'answer a ticket',
        start: at(10),
        durationMs: 900,
        attributes: {
          'overmind.capability': 'Ticket answers',
          'conversation.id': 'chat-1',
          'overmind.behaviour': 'answer_ticket',
          'input.value': 'where is my parcel?',
        },
      },
    ],
    [
      {
        trace,
        id: tool,
        parent: root,
        name: 'look up parcel',
        start: at(20),
        attributes: { 'openinference.span.kind': 'TOOL', 'overmind.capability': 'Parcels' },
        status: { code: 2, message: 'the carrier timed out' },
      },
      {
        trace,
        id: '00000000000000b3',
        parent: root,
        name: 'chat',
        start: at(30),
        attributes: { 'gen_ai.request.model': 'large', 'genai.total_tokens': 8, 'genai.cost': 0.1 },
      },
    ],
    [
      {
        trace,
        id: joining,
        parent: tool,
        name: 'joining process',
        // Its clock is behind, so that by time alone it would come first.
        start: at(0),
        attributes: {
          'gen_ai.request.model': 'small',
          'genai.total_tokens': 5,
          'genai.cost': 0.2,
          'conversation.id': 'chat-2',
          'overmind.capability': 'Joined',
          'input.value': 'something else',
        },
      },
    ],
  ];
}

describe('the roll-up of traces', () => {
  it('gives one answer for every order in which three batches arrive', async () => {
    const world = await makeWorld();
    let expected: Awaited<ReturnType<typeof stateOf>> | undefined;
    for (const order of permutations([0, 1, 2])) {
      const trace = traceId();
      const batches = threeBatches(trace);
      for (const index of order) await world.send(batches[index] ?? []);
      const state = await stateOf(world, trace);
      const comparable = JSON.parse(JSON.stringify(state).replaceAll(trace, 'T'));
      expected ??= comparable;
      assert.deepEqual(comparable, expected, `order ${order.join()}`);
    }
    assert.equal(expected?.row.name, 'answer a ticket');
    assert.equal(expected?.row.capabilitySlug, 'ticket-answers');
    assert.equal(expected?.session, 'chat-1');
    // The first model by start that any span of the trace called.
    assert.equal(expected?.row.model, 'small');
    assert.deepEqual(expected?.totals, [4, 1, 13, 0.3]);
    assert.equal(expected?.root?.name, 'answer a ticket');
    assert.deepEqual(
      expected?.executions.map(({ behaviourKey, status, totalTokens, capabilitySlug }) => [
        behaviourKey,
        status,
        totalTokens,
        capabilitySlug,
      ]),
      [['answer_ticket', 'completed', 13, 'ticket-answers']],
    );
  });

  it('gives the same answer when everything arrives in one batch, and in two at once', async () => {
    const world = await makeWorld();
    const [whole, split] = [traceId(), traceId()];
    await world.send(threeBatches(whole).flat());
    const [first = [], second = [], third = []] = threeBatches(split);
    await Promise.all([world.send([...third, ...first]), world.send(second)]);
    const [a, b] = [await stateOf(world, whole), await stateOf(world, split)];
    assert.deepEqual(
      JSON.parse(JSON.stringify(b).replaceAll(split, 'T')),
      JSON.parse(JSON.stringify(a).replaceAll(whole, 'T')),
    );
  });

  it('counts a batch once however often and however concurrently it is sent', async () => {
    const world = await makeWorld();
    const [once, thrice, parallel] = [traceId(), traceId(), traceId()];
    await world.send(threeBatches(once).flat());
    for (let time = 0; time < 3; time += 1) await world.send(threeBatches(thrice).flat());
    const batch = threeBatches(parallel).flat();
    const outcomes = await Promise.all([world.send(batch), world.send(batch), world.send(batch)]);
    assert.equal(
      outcomes.reduce((sum, { stored }) => sum + stored, 0),
      4,
    );
    const expected = JSON.stringify(await stateOf(world, once)).replaceAll(once, 'T');
    for (const trace of [thrice, parallel]) {
      assert.equal(JSON.stringify(await stateOf(world, trace)).replaceAll(trace, 'T'), expected);
    }
  });

  it('keeps a child that comes before its parent visible, and puts the tree right when the parent comes', async () => {
    const world = await makeWorld();
    const [trace, root, child] = [traceId(), spanId(), spanId()];
    await world.send([{ trace, id: child, parent: root, name: 'chat', start: START + 5n }]);
    const [early] = await world.list({ traceId: trace });
    assert.deepEqual([early?.name, early?.spanId, early?.isLive], ['chat', child, true]);
    assert.equal((await world.traces.read(world.projectId, trace)).root, undefined);
    await world.send([{ trace, id: root, name: 'agent', start: START }]);
    const [late] = await world.list({ traceId: trace });
    assert.deepEqual([late?.name, late?.spanId, late?.isLive, late?.spanCount], ['agent', root, false, 2]);
    const view = await world.traces.read(world.projectId, trace);
    assert.deepEqual(
      view.spans.map((span) => [span.spanId, span.parentSpanId]),
      [
        [root, undefined],
        [child, root],
      ],
    );
  });

  it('shows usage of children on the trace, exact to the last decimal', async () => {
    const world = await makeWorld();
    const [trace, root] = [traceId(), spanId()];
    await world.send([
      { trace, id: root, name: 'agent' },
      { trace, parent: root, name: 'chat', attributes: { 'genai.total_tokens': 8, 'genai.cost': 0.005 } },
    ]);
    const [row] = await world.list({ traceId: trace });
    assert.deepEqual([row?.totalTokens, row?.totalCost], [8, 0.005]);
    const pennies = traceId();
    await world.send(
      Array.from({ length: 10 }, () => ({ trace: pennies, parent: root, attributes: { 'genai.cost': 0.1 } })),
    );
    await world.send([{ trace: pennies, parent: root, attributes: { 'genai.cost': 1e-7 } }]);
    assert.equal((await world.list({ traceId: pennies }))[0]?.totalCost, 1.0000001);
  });

  it('keeps projects apart that send the same ids', async () => {
    const world = await makeWorld();
    const [trace, id] = [traceId(), spanId()];
    await world.send([{ trace, id, name: 'ours' }]);
    await world.send([{ trace, id, name: 'theirs', attributes: { 'genai.total_tokens': 9 } }], {
      projectId: world.otherProjectId,
    });
    const [row] = await world.list({ traceId: trace });
    assert.deepEqual([row?.name, row?.spanCount, row?.totalTokens], ['ours', 1, undefined]);
    assert.equal((await world.traces.read(world.otherProjectId, trace)).root?.name, 'theirs');
  });

  it('calls a trace failed when its root does, or when its root leaves it open and a span failed', async () => {
    const world = await makeWorld();
    const failed = async (rootStatus: number, childStatus: number) => {
      const [trace, root] = [traceId(), spanId()];
      await world.send([
        { trace, id: root, status: { code: rootStatus } },
        { trace, parent: root, status: { code: childStatus } },
      ]);
      return (await world.list({ traceId: trace, hasError: true })).length === 1;
    };
    assert.deepEqual(
      [await failed(2, 0), await failed(0, 2), await failed(1, 2), await failed(0, 0), await failed(0, 1)],
      [true, true, false, false, false],
    );
  });
});

describe('spans of a trace', () => {
  it('survive parents that form a ring', async () => {
    const world = await makeWorld();
    const [trace, a, b] = [traceId(), spanId(), spanId()];
    await world.send([
      { trace, id: a, parent: b, attributes: { 'overmind.behaviour': 'ring', 'genai.total_tokens': 1 } },
      { trace, id: b, parent: a, attributes: { 'genai.total_tokens': 2 } },
    ]);
    const { rows } = await world.taskExecutions.list(world.projectId, { traceId: trace, limit: 10 });
    assert.deepEqual(
      rows.map((row) => [row.behaviourKey, row.totalTokens]),
      [['ring', 3]],
    );
  });

  it('keep the first version when an id comes again with other content', async () => {
    const world = await makeWorld();
    const [trace, id] = [traceId(), spanId()];
    assert.deepEqual(await world.send([{ trace, id, name: 'first' }]), { stored: 1, duplicates: 0 });
    assert.deepEqual(
      await world.send([
        { trace, id, name: 'second' },
        { trace, id, name: 'third' },
      ]),
      {
        stored: 0,
        duplicates: 2,
      },
    );
    assert.equal((await world.list({ traceId: trace }))[0]?.name, 'first');
  });
});
