import assert from 'node:assert/strict';
import type { ToolContracts } from '../../../generated/contracts/index.ts';
import { exportSpans } from './support/export.ts';
import { traceId } from './support/otlp.ts';
import { FakeClock } from '../../support/fakes/clock.ts';
import { given, type World } from '../../support/given.ts';
import { startServer } from '../../support/mcp.ts';

const HOUR_MS = 3_600_000;
const MAX_NS = 9_223_372_036_854_775_807n;

/** Every page of a list, with more traces sent between the pages. */
async function walk(
  world: World,
  ordering: '-received_at' | 'received_at' | '-start_time_ns',
  between: () => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const page: ToolContracts['query_traces']['output'] = await world.call('query_traces', {
      limit: 3,
      ordering,
      ...(cursor !== null && { cursor }),
    });
    names.push(...page.traces.map(({ name }) => name));
    cursor = page.page.next_cursor;
    await between();
  } while (cursor !== null);
  return names;
}

describe('clocks that jump', function () {
  this.timeout(60_000);

  it('of senders: the first and the last instant a span can have are kept, sorted and paged like any other', async () => {
    const world = await given.project();
    const starts = [0n, 1n, 1_762_500_000_000_000_000n, MAX_NS - 1_000_000n, 4_102_444_800_000_000_000n];
    await exportSpans(
      world,
      starts.map((start) => ({
        name: String(start),
        start,
        durationMs: start === 1_762_500_000_000_000_000n ? -5 : 0.5,
      })),
    );
    const inOrder = starts.toSorted((left, right) => (left < right ? 1 : -1)).map(String);
    const listed = await walk(world, '-start_time_ns');
    // A start of zero is none: the span then starts when it ends.
    assert.deepEqual(new Set(listed), new Set(inOrder));
    assert.deepEqual(listed.slice(0, 3), inOrder.slice(0, 3));
    const { traces } = await world.call('query_traces', { start_time_ns__gte: String(MAX_NS - 2_000_000n) });
    assert.deepEqual(
      traces.map(({ start_time_ns: start }) => start),
      [String(MAX_NS - 1_000_000n)],
    );
    const health = await world.call('inspect_capability_health', {});
    assert.deepEqual([health.traces.n, health.traces.errors], [5, 0]);
  });

  it('of the server: what is received in the past is found, paged once and counted in its hour', async () => {
    const clock = new FakeClock('2026-02-07T12:00:00.000Z');
    const world = await given.project({ server: await startServer({ clock, processes: 1 }) });
    const lasting = traceId();
    await exportSpans(world, [{ name: 'noon', trace: lasting }, { name: 'noon too' }]);
    clock.advance(-3 * HOUR_MS);
    await exportSpans(world, [{ name: 'morning' }, { trace: lasting, parent: '00000000000000aa', name: 'below' }]);
    clock.advance(50 * HOUR_MS);
    await exportSpans(world, [{ name: 'days on' }]);
    clock.advance(-47 * HOUR_MS);
    assert.deepEqual(new Set(await walk(world, 'received_at')), new Set(['noon', 'noon too', 'morning', 'days on']));
    assert.deepEqual((await walk(world, '-received_at'))[0], 'days on');
    // A trace has been received when its first span was, by whatever the clock said.
    const early = await world.call('query_traces', { start_before: '2026-02-07T10:00:00Z' });
    assert.deepEqual(early.traces.map(({ name }) => name).toSorted(), ['morning', 'noon']);
    // What lies ahead of the clock is no part of the window yet.
    assert.equal((await world.call('inspect_capability_health', { days: 1 })).traces.n, 3);
  });

  it('of the server, while somebody pages: no row twice, and none of those that were there lost', async () => {
    const clock = new FakeClock('2026-02-07T12:00:00.000Z');
    const world = await given.project({ server: await startServer({ clock, processes: 1 }) });
    const old = Array.from({ length: 11 }, (_, index) => `old ${index}`);
    for (const name of old) {
      clock.advance(7);
      await exportSpans(world, [{ name }]);
    }
    for (const ordering of ['-received_at', 'received_at'] as const) {
      let rounds = 0;
      const names = await walk(world, ordering, async () => {
        rounds += 1;
        if (rounds > 6) return;
        clock.advance(rounds % 2 === 0 ? -HOUR_MS : HOUR_MS);
        await exportSpans(world, [{ name: `new ${ordering} ${rounds}` }]);
      });
      assert.equal(new Set(names).size, names.length, names.join(', '));
      assert.deepEqual(
        old.filter((name) => !names.includes(name)),
        [],
      );
    }
  });
});
