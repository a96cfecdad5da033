import assert from 'node:assert/strict';
import type { TraceListQuery } from '../../../src/domain/observability/index.ts';
import { weekOf } from '../../../src/domain/observability/span-week.ts';
import { analyze } from './support/analyze.ts';
import { spanId, traceId } from './support/otlp.ts';
import { makeWorld, NEWEST_FIRST } from './support/world.ts';

const ORDER_KEYS = ['start_time_ns', 'duration_ns', 'received_at', 'name', 'status_code'] as const;

describe('TraceService.list', function () {
  this.timeout(120_000);

  it('takes one statement for a plain list, with or without a cursor', async () => {
    const world = await makeWorld();
    await world.send([{}, {}, {}]);
    const statements: string[] = [];
    // Other work of the process shares the handle; what is counted speaks of this world's project.
    const note = ({ sql, bindings }: { sql: string; bindings: readonly unknown[] }) => {
      if (bindings.includes(world.projectId)) statements.push(sql);
    };
    world.services.db.on('query', note);
    const first = await world.traces.list(world.projectId, { ...NEWEST_FIRST, limit: 2 });
    await world.traces.list(world.projectId, { ...NEWEST_FIRST, limit: 2, cursor: first.nextCursor ?? '' });
    await world.traces.list(world.projectId, { ...NEWEST_FIRST, allSpans: true, hasError: false });
    assert.equal(statements.length, 3);
    // A search asks what the spans are called first.
    await world.traces.list(world.projectId, { ...NEWEST_FIRST, allSpans: true, hasError: false, search: 'step' });
    world.services.db.removeListener('query', note);
    assert.equal(statements.length, 5);
  });

  it('walks an index in every order instead of sorting the project', async () => {
    const world = await makeWorld();
    const { db } = world.services;
    for (let batch = 0; batch < 4; batch += 1) {
      await world.send(
        Array.from({ length: 500 }, (_, index) => ({
          trace: traceId(),
          id: spanId(),
          name: `step ${index % 40}`,
          start: 1_762_500_000_000_000_000n + BigInt(batch * 500 + index),
          durationMs: index,
        })),
      );
    }
    await analyze(db);
    for (const allSpans of [false, true]) {
      for (const key of ORDER_KEYS) {
        const query: TraceListQuery = { allSpans, ordering: { key, descending: true }, limit: 10 };
        const { nextCursor = '' } = await world.traces.list(world.projectId, query);
        for (const page of [query, { ...query, cursor: nextCursor }]) {
          const asked: { sql: string; bindings: readonly string[] }[] = [];
          const note = (statement: (typeof asked)[number]) => void asked.push(statement);
          db.on('query', note);
          await world.traces.list(world.projectId, page);
          db.removeListener('query', note);
          const [statement] = asked;
          // The driver's own marks are no marks of the query builder.
          const sql = (statement?.sql ?? '').replaceAll(/\$\d+/g, '?');
          const { rows } = await db.raw<{ rows: { 'QUERY PLAN': string }[] }>(
            `explain ${sql}`,
            statement?.bindings ?? [],
          );
          const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
          const main = allSpans ? 'spans' : 'traces';
          assert.match(plan, new RegExp(`Index Scan.* using ${main}_\\w+ on ${main}`), `${main} by ${key}:\n${plan}`);
          // All spans lie in the table of this week; `spans` itself and the weeks to come are empty.
          const filled = allSpans ? weekOf(new Date()).table : 'traces';
          assert.doesNotMatch(plan, new RegExp(`Seq Scan on ${filled}\\b`), plan);
        }
      }
    }
  });

  it('reads batches of any number of traces', async () => {
    const world = await makeWorld();
    const trace = traceId();
    await world.send([{ trace, name: 'one', attributes: { k: 'v' } }]);
    const [loaded, ...others] = await world.traces.load(world.projectId, [trace, traceId()]);
    assert.deepEqual(others, []);
    assert.deepEqual([loaded?.traceId, loaded?.spans[0]?.attributes, loaded?.omittedSpans], [trace, { k: 'v' }, 0]);
    assert.deepEqual(await world.traces.existing(world.projectId, [traceId(), trace.toUpperCase(), trace]), [trace]);
    assert.deepEqual(await world.traces.load(world.otherProjectId, [trace]), []);
    assert.deepEqual(await world.traces.load(world.projectId, []), []);
  });
});
