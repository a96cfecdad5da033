import assert from 'node:assert/strict';
import { newId } from '../../../src/kernel/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { spanId, traceId, type SpanLike } from './support/otlp.ts';
import { makeWorld } from './support/world.ts';

/** A generator of numbers that gives the same ones on every run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
}

function shuffled<T>(items: readonly T[], next: (below: number) => number): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(next(left.length), 1));
}

describe('many batches at a time', () => {
  it('share traces, sessions and new capabilities without waiting for each other in a ring', async () => {
    const world = await makeWorld();
    const next = sequence(7);
    const traces = Array.from({ length: 6 }, traceId);
    for (let round = 0; round < 8; round += 1) {
      const spans = Array.from({ length: 48 }, (_, index): SpanLike & { readonly id: string } => ({
        trace: traces[next(traces.length)] ?? '',
        id: spanId(),
        start: 1_762_500_000_000_000_000n + BigInt(index),
        attributes: {
          'overmind.capability': `Capability ${round} ${next(5)}`,
          'session.id': `session ${round} ${next(5)}`,
          'genai.total_tokens': 1,
          ...(next(4) === 0 && { 'overmind.behaviour': `behaviour ${next(3)}` }),
        },
      }));
      // Every span is in two batches, and the batches hold their spans in different orders.
      const batches = Array.from({ length: 8 }, (_, index) =>
        shuffled(
          [...spans.slice(index * 6, index * 6 + 6), ...spans.slice(((index + 3) % 8) * 6, ((index + 3) % 8) * 6 + 6)],
          next,
        ),
      );
      const outcomes = await Promise.all(batches.map((batch) => world.send(batch)));
      assert.equal(
        outcomes.reduce((sum, { stored }) => sum + stored, 0),
        spans.length,
      );
    }
    const rows = await world.list();
    assert.equal(
      rows.reduce((sum, row) => sum + (row.totalTokens ?? 0), 0),
      8 * 48,
    );
    assert.equal(
      rows.reduce((sum, row) => sum + (row.spanCount ?? 0), 0),
      8 * 48,
    );
  });

  it('give their spans the session that a server of the release before has made meanwhile', async () => {
    const world = await makeWorld();
    const { db } = world.services;
    const theirs = newId();
    const other = await db.transaction();
    await other('conversations').insert({
      project_id: world.projectId,
      id: theirs,
      external_id: 'chat-1',
      name: 'chat-1',
      created_at: new Date(),
    });
    const sent = world.send([
      { trace: traceId(), id: spanId(), start: 1_762_500_000_000_000_000n, attributes: { 'session.id': 'chat-1' } },
    ]);
    await eventually(async () => {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like 'insert into conversations%'`,
      );
      assert.equal(rows.length, 1);
    });
    await other.commit();
    assert.deepEqual(await sent, { stored: 1, duplicates: 0 });
    const sessions = await db('conversations').where({ project_id: world.projectId }).select('id');
    assert.deepEqual(sessions, [{ id: theirs }]);
    for (const allSpans of [false, true]) {
      const rows = await world.list({ allSpans, session: 'chat-1' });
      assert.deepEqual(
        rows.map((row) => row.session),
        ['chat-1'],
      );
    }
  });

  it('make the same sessions at once, and no batch fails', async () => {
    const world = await makeWorld();
    const sessions = Array.from({ length: 60 }, (_, index) => `chat ${index}`);
    for (let round = 0; round < 10; round += 1) {
      const batchOf = (): (SpanLike & { readonly id: string })[] =>
        sessions.map((session) => ({
          trace: traceId(),
          id: spanId(),
          start: 1_762_500_000_000_000_000n,
          attributes: { 'session.id': `${session} ${round}` },
        }));
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => world.send(batchOf())));
      assert.deepEqual(
        outcomes.map(({ stored }) => stored),
        [60, 60, 60, 60],
      );
    }
  });
});
