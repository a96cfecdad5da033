import assert from 'node:assert/strict';
import { datasetsWorld, ACCOUNT } from './datasets-world.ts';
import type { DatasetsWorld } from './datasets-world.ts';
import { question } from './traces.ts';

describe('a dataset made from traces', function () {
  this.timeout(60_000);
  let world: DatasetsWorld;
  before(async () => {
    world = await datasetsWorld();
  });
  after(() => world.close());

  it('lands one row per trace, in the order of the ids, and can be queried', async () => {
    const projectId = await world.project();
    const ids = await world.ingest(projectId, [
      question('Where is my parcel?', 'On its way.'),
      question('Refund?', 'Done.', { 'session.id': 'chat-7' }),
      question('🎉 party?', 'Yes 🎉'),
    ]);
    const wanted = [ids[2] ?? '', ids[0] ?? '', ids[1] ?? ''];
    const made = await world.datasets.creation.fromTraces(projectId, {
      name: 'tickets',
      accountId: ACCOUNT,
      traceIds: wanted,
    });
    assert.equal(made.traces, 3);
    assert.equal(made.dataset.state, 'landing');
    const landed = await world.settled(made.dataset);
    assert.equal(landed.state, 'idle', landed.error);
    const rows = await world.rows(projectId, 'TICKETS');
    assert.deepEqual(
      rows.map((row) => row['trace_id']),
      wanted,
    );
    assert.deepEqual(
      rows.map((row) => row['source_row']),
      [1, 2, 3],
    );
    const { started_at: startedAt, ...last } = rows[2] ?? {};
    assert.match(String(startedAt), /^2025-10-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    assert.deepEqual(last, {
      source_row: 3,
      trace_id: ids[1],
      name: 'handle ticket',
      capability: 'support',
      session: 'chat-7',
      input: 'Refund?',
      output: 'Done.',
      messages: [
        { role: 'user', content: 'Refund?' },
        { role: 'assistant', content: 'Done.' },
      ],
      tools: null,
      expected_output: null,
      model: 'small-model',
      total_tokens: 15,
      cost: null,
      status: 'ok',
      duration_ms: 500,
      metadata: { span_count: 2, tool_calls: [], service_name: 'support-agent' },
    });
  });

  it('tells why a landing failed, tries again when asked, and stops asking in the end', async () => {
    const gone = await datasetsWorld({ works: false });
    const projectId = await gone.project();
    const traceIds = await gone.ingest(projectId, [question('q', 'a')]);
    const { dataset } = await gone.datasets.creation.fromTraces(projectId, {
      name: 'gone',
      accountId: ACCOUNT,
      traceIds,
    });
    // Retention takes the trace away before a worker gets to it.
    for (const table of ['spans', 'traces']) await gone.db(table).where({ project_id: projectId }).delete();
    gone.work();
    const run = () =>
      gone.datasets.decisions.run(projectId, { dataset: dataset.id, decision: 'approve', accountId: ACCOUNT });
    for (let landing = 1; landing <= 5; landing += 1) {
      const failed = await gone.settled(dataset);
      assert.deepEqual([failed.state, failed.landings], ['error', landing]);
      assert.match(failed.error ?? '', /None of the selected traces exists/);
      const { nextActions } = await gone.datasets.service.inspect(projectId, dataset.id);
      assert.deepEqual(
        nextActions.map(({ tool }) => tool),
        landing < 5 ? ['run_dataset'] : [],
      );
      if (landing < 5) assert.equal((await run()).state, 'landing');
    }
    await assert.rejects(run(), { code: 'dataset_invalid' });
    assert.equal((await gone.settled(dataset)).landings, 5);
    await gone.close();
  });

  it('reads a large selection again with an end in time, so later traces stay out', async () => {
    let now = Date.parse('2026-11-30T10:00:00Z');
    const late = await datasetsWorld({ works: false, idsKept: 2, clock: { now: () => new Date(now) } });
    const projectId = await late.project();
    const before = await late.ingest(projectId, [question('1', 'a'), question('2', 'b'), question('3', 'c')]);
    now += 1_000;
    const made = await late.datasets.creation.fromTraces(projectId, {
      name: 'pinned',
      accountId: ACCOUNT,
      search: 'handle',
      limit: 10,
    });
    now += 1_000;
    await late.ingest(projectId, [question('4', 'd')]);
    late.work();
    await late.settled(made.dataset);
    const rows = await late.rows(projectId, 'pinned', 'SELECT trace_id FROM t ORDER BY source_row');
    assert.deepEqual(
      rows.map((row) => row['trace_id']),
      [...before].reverse(),
    );
    assert.equal(made.traces, 3);
    await late.close();
  });

  it('binds the capability most rows speak for, and only when most do', async () => {
    const projectId = await world.project();
    const [a, b, none] = [
      question('1', 'a'),
      question('2', 'b', { 'overmind.capability': 'refunds' }),
      { name: 'plain' },
    ];
    const bound = async (fixtures: Parameters<DatasetsWorld['ingest']>[1]) => {
      const traceIds = await world.ingest(projectId, fixtures);
      const { dataset } = await world.datasets.creation.fromTraces(projectId, {
        name: 'b',
        accountId: ACCOUNT,
        traceIds,
      });
      await world.settled(dataset);
      const detail = await world.datasets.service.inspect(projectId, dataset.id);
      return [detail.capability?.slug, detail.dataset.capabilityRank.map(({ name, score }) => [name, score])];
    };
    assert.deepEqual(await bound([a, a, b]), [
      'support',
      [
        ['support', 0.666667],
        ['refunds', 0.333333],
      ],
    ]);
    const [tied] = await bound([a, b]);
    assert.equal(tied, undefined);
    assert.deepEqual(await bound([none]), [undefined, []]);
  });

  it('is read whole or not at all by those who look while it lands', async () => {
    const projectId = await world.project();
    const traceIds = await world.ingest(
      projectId,
      Array.from({ length: 40 }, (_, index) => question(`q${index}`, 'a')),
    );
    const { dataset } = await world.datasets.creation.fromTraces(projectId, {
      name: 'watched',
      accountId: ACCOUNT,
      traceIds,
    });
    for (;;) {
      const { dataset: seen, cells } = await world.datasets.service.inspect(projectId, dataset.id);
      assert.deepEqual(
        cells.map((cell) => cell.table?.rows),
        seen.state === 'idle' ? [40] : [],
      );
      if (seen.state === 'idle') break;
      assert.equal(seen.state, 'landing', seen.error);
    }
  });
});
