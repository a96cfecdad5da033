import assert from 'node:assert/strict';
import { createObservability, readExport, type Observability } from '../../../src/domain/observability/index.ts';
import type { Db } from '../../../src/db/database.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { PageCursors } from '../../../src/kernel/page-cursor.ts';
import { freshDatabase } from '../../support/boot.ts';
import { makeServices } from '../../support/services.ts';
import { otlpExport, otlpSpan, spanId, traceId, type SpanLike } from './support/otlp.ts';
import { NEWEST_FIRST } from './support/world.ts';

const DAY_MS = 86_400_000;
/** A Monday. */
const MONDAY = Date.parse('2024-03-04T00:00:00Z');

/** A database of its own, since the tables of spans belong to all projects, and servers whose clocks can be set. */
async function makeStore() {
  const { db } = await freshDatabase();
  const services = await makeServices({ db });
  const owner = await services.accounts.create({ email: `${newId()}@example.com` });
  const { id: projectId } = await services.projects.create({ accountId: owner.id, name: 'Support agent' });
  const serverAt = (at: number) => {
    const clock = { at, now: () => new Date(clock.at) };
    const parts = createObservability({ db, clock, cursors: new PageCursors('retention') });
    const send = (spans: readonly SpanLike[]) =>
      parts.ingest.ingest(projectId, readExport(otlpExport(spans.map(otlpSpan)), 1n).spans);
    return { ...parts, clock, send };
  };
  return { db, projectId, serverAt };
}

const keepSpans = ({ upkeep }: Pick<Observability, 'upkeep'>, keepDays?: number) =>
  upkeep.keepSpans(keepDays, new AbortController().signal);

async function tablesOf(db: Db, projectId: string): Promise<Record<string, number>> {
  const { rows } = await db.raw<{ rows: { name: string; n: number }[] }>(
    'select tableoid::regclass::text as name, count(*) as n from spans where project_id = ? group by 1 order by 1',
    [projectId],
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

/** The weeks that names of spans are kept for. */
async function weeksWithLabels(db: Db, projectId: string): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { week: string }[] }>(
    `select distinct to_char(week at time zone 'UTC', 'YYYY-MM-DD') as week from span_labels where project_id = ?
     order by 1`,
    [projectId],
  );
  return rows.map(({ week }) => week);
}

/** What a server of the release before weeks writes: one span, and whether it was new. */
async function insertAsBefore(
  db: Db,
  projectId: string,
  span: { trace: string; id: string; at: Date },
): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `insert into spans (project_id, received_at, trace_id, span_id, name, kind, span_type, status_code, status_message,
       start_time_ns, end_time_ns, duration_ns, scope_name, scope_version, search_text, attributes, resource_attributes)
     select ?, ?::timestamptz, *, 'step', 1, 'span', 0, '', 1, 2, 1, '', '', 'step', '{}', '{}'
     from unnest(?::text[], ?::text[]) as span(trace_id, span_id)
     on conflict (project_id, trace_id, span_id) do nothing
     returning trace_id || span_id as key`,
    [projectId, span.at, [span.trace], [span.id]],
  );
  return rows.length === 1;
}

describe('the weeks of spans', function () {
  this.timeout(120_000);

  it('hold what came in during each, and go as a whole when they are past keeping', async () => {
    const { db, projectId, serverAt } = await makeStore();
    const server = serverAt(MONDAY);
    const [old, lasting, young] = [traceId(), traceId(), traceId()];
    await keepSpans(server, 14);
    await server.send([{ trace: old, attributes: { 'overmind.behaviour': 'answer' } }, { trace: lasting }]);
    server.clock.at = MONDAY + 7 * DAY_MS;
    await server.send([{ trace: lasting }, { trace: young }]);
    assert.deepEqual(await tablesOf(db, projectId), { spans_w20240304: 2, spans_w20240311: 2 });
    assert.deepEqual(await weeksWithLabels(db, projectId), ['2024-03-04', '2024-03-11']);

    server.clock.at = MONDAY + 20 * DAY_MS;
    assert.deepEqual(await keepSpans(server, 14), { moved: 0, droppedWeeks: 0, removedTraces: 0 });
    server.clock.at = MONDAY + 21 * DAY_MS;
    assert.deepEqual(await keepSpans(server, 14), { moved: 0, droppedWeeks: 1, removedTraces: 1 });
    assert.deepEqual(await tablesOf(db, projectId), { spans_w20240311: 2 });
    assert.deepEqual(await weeksWithLabels(db, projectId), ['2024-03-11']);
    const { rows } = await server.traces.list(projectId, NEWEST_FIRST);
    assert.deepEqual(rows.map((row) => row.traceId).toSorted(), [lasting, young].toSorted());
    const runs = await db.raw<{ rows: { n: number }[] }>('select count(*) as n from task_executions');
    assert.equal(runs.rows[0]?.n, 0);
  });

  it('outlive a clock that leaps ahead, and what came in while it did', async () => {
    const { db, projectId, serverAt } = await makeStore();
    const server = serverAt(Date.now());
    await keepSpans(server, 14);
    await server.send([{}]);
    server.clock.at += 4_000 * DAY_MS;
    const weeks = async () => Object.values(await tablesOf(db, projectId));
    assert.deepEqual(await keepSpans(server, 14), { moved: 0, droppedWeeks: 0, removedTraces: 0 });
    await server.send([{}]);
    server.clock.at -= 4_000 * DAY_MS;
    assert.deepEqual(await keepSpans(server, 14), { moved: 0, droppedWeeks: 0, removedTraces: 0 });
    assert.deepEqual(await weeks(), [1, 1]);
    assert.equal((await server.traces.list(projectId, NEWEST_FIRST)).rows.length, 2);
  });

  it('keep everything when no limit is set', async () => {
    const { db, projectId, serverAt } = await makeStore();
    const server = serverAt(MONDAY);
    await keepSpans(server);
    await server.send([{}]);
    server.clock.at = MONDAY + 4_000 * DAY_MS;
    assert.deepEqual(await keepSpans(server), { moved: 0, droppedWeeks: 0, removedTraces: 0 });
    assert.deepEqual(await tablesOf(db, projectId), { spans_w20240304: 1 });
  });

  it('take strays in: of a server of the last release, or of a week nobody made', async () => {
    const { db, projectId, serverAt } = await makeStore();
    const server = serverAt(MONDAY + DAY_MS);
    const [trace, early] = [traceId(), traceId()];
    await server.send([{ trace, id: '00000000000000aa' }]);
    assert.deepEqual(await tablesOf(db, projectId), { spans: 1 }, 'no table was made for this week');
    const stray = { trace: early, id: '00000000000000ab', at: new Date(MONDAY - DAY_MS) };
    assert.ok(await insertAsBefore(db, projectId, stray));

    assert.deepEqual(await keepSpans(server), { moved: 2, droppedWeeks: 0, removedTraces: 0 });
    assert.deepEqual(await tablesOf(db, projectId), { spans_w20240226: 1, spans_w20240304: 1 });
    assert.equal(await insertAsBefore(db, projectId, stray), false, 'a span sent again is known in its week');
    assert.equal((await serverAt(MONDAY + DAY_MS).send([{ trace, id: '00000000000000aa' }])).stored, 0);
    assert.equal((await server.traces.read(projectId, trace)).spans.length, 1);
  });

  it('hold a span once, though it comes again in another week', async () => {
    const { projectId, serverAt } = await makeStore();
    const spans = Array.from({ length: 30 }, () => ({
      trace: traceId(),
      id: spanId(),
      attributes: { 'genai.total_tokens': 1 },
    }));
    const server = serverAt(MONDAY - 1);
    await keepSpans(server);
    assert.equal((await server.send(spans.slice(0, 20))).stored, 20);
    server.clock.at = MONDAY;
    assert.deepEqual(await server.send(spans), { stored: 10, duplicates: 20 });
    const { rows } = await server.traces.list(projectId, NEWEST_FIRST);
    assert.deepEqual(new Set(rows.map((row) => `${row.spanCount} ${row.totalTokens}`)), new Set(['1 1']));
  });

  it('hold a span once, though two servers take it at once and their clocks stand in two weeks', async () => {
    const { db, projectId, serverAt } = await makeStore();
    const servers = [serverAt(MONDAY - 1), serverAt(MONDAY + 1)];
    for (const server of servers) await keepSpans(server);
    for (let round = 0; round < 12; round += 1) {
      const spans = Array.from({ length: 5 }, () => ({ trace: traceId(), id: spanId() }));
      const outcomes = await Promise.all(servers.map((server) => server.send(spans)));
      assert.equal(
        outcomes.reduce((sum, { stored }) => sum + stored, 0),
        spans.length,
      );
    }
    const { rows } = await db.raw<{ rows: { n: number; counted: number }[] }>(
      `select (select count(*) from spans where project_id = :projectId) as n,
         (select sum(span_count) from traces where project_id = :projectId) as counted`,
      { projectId },
    );
    assert.deepEqual(rows, [{ n: 60, counted: 60 }]);
  });
});

describe('the indexes that searches read', () => {
  it('hold what came in lately as soon as they are settled', async () => {
    const { projectId, serverAt } = await makeStore();
    const { send, upkeep, traces } = serverAt(MONDAY);
    assert.equal(await upkeep.settleSearches(), 0);
    await send([{ trace: traceId(), id: spanId(), name: 'needle' }]);
    assert.ok((await upkeep.settleSearches()) > 0);
    assert.equal(await upkeep.settleSearches(), 0);
    for (const allSpans of [false, true]) {
      const found = await traces.list(projectId, { ...NEWEST_FIRST, allSpans, search: 'needl' });
      assert.deepEqual(
        found.rows.map(({ name }) => name),
        ['needle'],
      );
    }
  });
});
