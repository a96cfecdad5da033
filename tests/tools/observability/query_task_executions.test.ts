import assert from 'node:assert/strict';
import type { ToolContracts } from '../../../generated/contracts/index.ts';
import { exportSpans } from '../../domain/observability/support/export.ts';
import { spanId, traceId } from '../../domain/observability/support/otlp.ts';
import { describeTool } from '../../support/describe-tool.ts';
import { given, type World } from '../../support/given.ts';

type Args = ToolContracts['query_task_executions']['call'];

const START = 1_762_500_000_000_000_000n;
const SECOND = 1_000_000_000n;

/** One conversation turn with two behaviours, one inside the other, an interrupted run, and an entry point without a name. */
async function desk(): Promise<World> {
  const world = await given.project();
  const [trace, root, refund] = [traceId(), spanId(), spanId()];
  await exportSpans(world, [
    {
      trace,
      id: root,
      name: 'turn',
      start: START,
      durationMs: 900,
      attributes: { 'overmind.behaviour': 'answer', 'overmind.capability': 'Desk', 'conversation.id': 'chat-7' },
    },
    {
      trace,
      id: refund,
      parent: root,
      name: 'refund',
      start: START + SECOND,
      durationMs: 100,
      status: { code: 2, message: 'no' },
      attributes: { 'overmind.behaviour': 'refund', 'gen_ai.operation.name': 'execute_tool' },
    },
    {
      trace,
      parent: refund,
      start: START + 2n * SECOND,
      attributes: { model: 'small', 'genai.total_tokens': 5, cost: 0.25 },
    },
    {
      trace,
      parent: root,
      start: START + 3n * SECOND,
      attributes: { model: 'large', 'genai.total_tokens': 8, cost: 0.5 },
    },
  ]);
  await exportSpans(world, [
    { start: START + 10n * SECOND, attributes: { 'overmind.behaviour': 'answer', 'overmind.interrupted': true } },
    { start: START + 20n * SECOND, attributes: { 'overmind.span_type': 'entry_point' } },
  ]);
  return world;
}

async function keys(world: World, args: Args): Promise<string[]> {
  const { task_executions } = await world.call('query_task_executions', args);
  return task_executions.map((run) => `${run.behaviour_key}/${run.status}`);
}

describeTool('query_task_executions', {
  succeeds: {
    'lists runs newest start first, each with what the work below it cost': async () => {
      const world = await desk();
      const answer = await world.call('query_task_executions', {});
      assert.deepEqual(
        answer.task_executions.map((run) => [
          run.behaviour_key,
          run.binding_source,
          run.status,
          run.capability,
          run.session,
          run.total_tokens,
          run.total_cost,
          run.model,
        ]),
        [
          ['', 'unbound', 'completed', undefined, undefined, undefined, undefined, undefined],
          ['answer', 'declared', 'interrupted', undefined, undefined, undefined, undefined, undefined],
          ['refund', 'declared', 'error', 'desk', 'chat-7', 5, 0.25, 'small'],
          ['answer', 'declared', 'completed', 'desk', 'chat-7', 13, 0.75, 'small'],
        ],
      );
      const last = answer.task_executions.at(-1);
      assert.deepEqual([last?.started_at, last?.duration_ms], ['2025-11-07T07:20:00.000000000Z', 900]);
      assert.deepEqual(answer.page, { limit: 20, has_more: false, next_cursor: null, total: 4 });
      assert.equal(answer.resource_links.length, 3);
      assert.equal((await world.read(last?.resource.uri ?? ''))['trace_id'], last?.trace_id);
    },
    'filters by each condition alone': async () => {
      const world = await desk();
      const [inner] = (await world.call('query_task_executions', { behaviour: 'refund' })).task_executions;
      const both = ['refund/error', 'answer/completed'];
      const cases: readonly (readonly [Args, readonly string[]])[] = [
        [{ capability: 'desk' }, both],
        [{ behaviour: 'answer' }, ['answer/interrupted', 'answer/completed']],
        [{ binding_source: 'unbound' }, ['/completed']],
        [{ trace_id: inner?.trace_id ?? '' }, both],
        [{ status: 'interrupted' }, ['answer/interrupted']],
        [{ started_after: '2025-11-07T07:20:10Z' }, ['/completed']],
        [{ started_after: '1600-01-01T00:00:00Z', started_before: '9000-01-01T00:00:00Z', capability: 'desk' }, both],
        [{ started_before: '1600-01-01T00:00:00Z' }, []],
        [{ started_before: '2025-11-07T08:20:01+01:00' }, ['answer/completed']],
        [{ min_duration_ms: 100 }, both],
        [{ max_duration_ms: 5 }, ['/completed', 'answer/interrupted']],
        [{ has_error: true }, ['refund/error']],
        [{ has_error: false, capability: 'desk' }, ['answer/completed']],
        [{ service_name: 'nowhere' }, []],
        [{ operation: 'execute_tool' }, ['refund/error']],
        [{ span_type: 'entry_point' }, ['/completed']],
        [{ status_code: 2 }, ['refund/error']],
        [{ model: 'small' }, both],
        [{ has_model: false }, ['/completed', 'answer/interrupted']],
        [{ total_tokens_gte: 6 }, ['answer/completed']],
        [{ total_tokens_lte: 5 }, ['refund/error']],
        [{ total_cost_gte: 0.75 }, ['answer/completed']],
        [{ total_cost_lte: 0.25 }, ['refund/error']],
      ];
      for (const [args, expected] of cases) assert.deepEqual(await keys(world, args), expected, JSON.stringify(args));
    },
    'pages through all runs, each once': async () => {
      const world = await desk();
      const first = await world.call('query_task_executions', { limit: 3 });
      const second = await world.call('query_task_executions', { limit: 3, cursor: first.page.next_cursor ?? '' });
      const ids = [...first.task_executions, ...second.task_executions].map((run) => run.id);
      assert.deepEqual([first.n, second.n, new Set(ids).size], [3, 1, 4]);
      assert.deepEqual(second.page, { limit: 3, has_more: false, next_cursor: null });
    },
    'adds late work to runs that are listed already': async () => {
      const world = await given.project();
      const [trace, unit, middle] = [traceId(), spanId(), spanId()];
      await exportSpans(world, [{ trace, id: unit, attributes: { 'overmind.behaviour': 'slow' } }]);
      await exportSpans(world, [{ trace, parent: middle, attributes: { 'genai.total_tokens': 4 } }]);
      const totals = async () =>
        (await world.call('query_task_executions', {})).task_executions.map((run) => run.total_tokens);
      assert.deepEqual(await totals(), [undefined]);
      await exportSpans(world, [{ trace, id: middle, parent: unit, attributes: { 'genai.total_tokens': 3 } }]);
      assert.deepEqual(await totals(), [7]);
    },
  },
  fails: {
    capability_not_found: async () => {
      const world = await given.project();
      await world.refuses('query_task_executions', { capability: 'nobody' }, { code: 'capability_not_found' });
    },
    invalid_filter: async () => {
      const world = await desk();
      const { page } = await world.call('query_task_executions', { limit: 1 });
      const cursor = page.next_cursor ?? '';
      await world.refuses('query_task_executions', { cursor, has_error: true }, { code: 'invalid_filter' });
      await world.refuses('query_traces', { cursor }, { code: 'invalid_filter' });
    },
  },
  staysInProject: {
    capability: async () => {
      const [world, other] = [await given.project(), await desk()];
      await world.refuses('query_task_executions', { capability: 'desk' }, { code: 'capability_not_found' });
      const [run] = (await other.call('query_task_executions', { limit: 1 })).task_executions;
      assert.deepEqual(await keys(world, { trace_id: run?.trace_id ?? '' }), []);
    },
  },
});
