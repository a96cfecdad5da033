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
});
