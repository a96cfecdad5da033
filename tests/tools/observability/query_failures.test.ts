import assert from 'node:assert/strict';
import { exportSpans } from '../../domain/observability/support/export.ts';
import { spanId, traceId } from '../../domain/observability/support/otlp.ts';
import { describeTool } from '../../support/describe-tool.ts';
import { FakeClock } from '../../support/fakes/clock.ts';
import { given, type World } from '../../support/given.ts';
import { startServer } from '../../support/mcp.ts';

const DAY_MS = 86_400_000;
const CAPABILITY = { 'overmind.capability': 'Refunds' };

/** A trace whose root says nothing about its end, with a tool that failed below it. */
async function failedTool(world: World, name: string, message: string): Promise<void> {
  const [trace, root] = [traceId(), spanId()];
  await exportSpans(world, [
    { trace, id: root, name, attributes: CAPABILITY },
    {
      trace,
      parent: root,
      name: 'execute_tool card',
      attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'card', 'error.type': 'timeout' },
      status: { code: 2, message },
    },
  ]);
}

describeTool('query_failures', {
  succeeds: {
    'tells what ended each failed trace and which tools failed in it, newest first': async () => {
      const clock = new FakeClock();
      const world = await given.project({ server: await startServer({ clock }) });
      await failedTool(world, 'first', 'card service timed out');
      clock.advance(1_000);
      await exportSpans(world, [
        { name: 'fine', attributes: CAPABILITY, status: { code: 1 } },
        {
          name: 'second',
          attributes: CAPABILITY,
          status: { code: 2 },
          events: [
            { name: 'exception', attributes: { 'exception.type': 'RangeError', 'exception.message': 'no such order' } },
          ],
        },
        { name: 'elsewhere', status: { code: 2, message: 'not ours' } },
      ]);
      const answer = await world.call('query_failures', { capability: 'refunds' });
      assert.deepEqual(
        answer.failures.map((row) => [row.name, row.summary, row.error_type, row.error_spans, row.tools]),
        [
          ['second', 'no such order', 'RangeError', 1, []],
          ['first', 'card service timed out', 'timeout', 1, ['card']],
        ],
      );
      assert.deepEqual([answer.n, answer.truncated, answer.since_days, answer.capability], [2, false, 7, 'refunds']);
      assert.equal(answer.failures[0]?.trace_ref, `traces:${answer.failures[0]?.trace_id}`);
      const payloads = await Promise.all(answer.resource_links.map((link) => world.read(link.uri)));
      assert.deepEqual(
        payloads.map((payload) => payload['kind']),
        ['capability', 'trace', 'trace'],
      );
    },
    'looks back no further than it is asked to, and says when there is more': async () => {
      const clock = new FakeClock();
      const world = await given.project({ server: await startServer({ clock }) });
      await failedTool(world, 'old', 'x');
      clock.advance(8 * DAY_MS);
      await failedTool(world, 'new', 'y');
      await failedTool(world, 'newer', 'z');
      assert.equal((await world.call('query_failures', { capability: 'refunds' })).n, 2);
      assert.equal((await world.call('query_failures', { capability: 'refunds', since_days: 9 })).n, 3);
      const cut = await world.call('query_failures', { capability: 'refunds', limit: 1 });
      assert.deepEqual([cut.n, cut.truncated], [1, true]);
    },
    'keeps secrets of error messages to itself': async () => {
      const world = await given.project();
      await failedTool(world, 'leak', '401 from api: key sk_live_51H8abcdEFGHijkl rejected');
      const text = JSON.stringify(await world.call('query_failures', { capability: 'refunds' }));
      assert.doesNotMatch(text, /sk_live_51H8/);
      assert.match(text, /401 from api/);
    },
  },
  fails: {
    capability_not_found: async () => {
      const world = await given.project();
      await world.refuses('query_failures', { capability: 'nobody' }, { code: 'capability_not_found' });
    },
  },
  staysInProject: {
    capability: async () => {
      const [world, other] = [await given.project(), await given.project()];
      await failedTool(other, 'theirs', 'x');
      await world.refuses('query_failures', { capability: 'refunds' }, { code: 'capability_not_found' });
    },
  },
});
