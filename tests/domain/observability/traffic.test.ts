import assert from 'node:assert/strict';
import { createObservability, readExport } from '../../../src/domain/observability/index.ts';
import { percentileNs } from '../../../src/domain/observability/duration-histogram.ts';
import type { Db } from '../../../src/db/database.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { PageCursors } from '../../../src/kernel/page-cursor.ts';
import { freshDatabase } from '../../support/boot.ts';
import { randomFrom } from '../../support/random.ts';
import { makeServices } from '../../support/services.ts';
import { otlpExport, otlpSpan, type SpanLike } from './support/otlp.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Monday. */
const MONDAY = Date.parse('2024-03-04T00:00:00Z');

interface Sums {
  readonly n: number;
  readonly errors: number;
  readonly durationNs: bigint;
  readonly tokens: number;
  /** In millionths, as the test sends it. */
  readonly cost: number;
}

interface TraceFigures {
  readonly project_id: string;
  readonly trace_id: string;
  readonly capability: string;
  readonly at: Date;
  readonly failed: boolean;
  readonly duration: string;
  readonly tokens: number;
  readonly cost: string;
  readonly error: string;
}

interface CallFigures {
  readonly project_id: string;
  readonly trace_id: string;
  readonly model: string;
  readonly errors: number;
  readonly tokens: number;
  readonly cost: string;
}

const millionths = (cost: string | number): number => Math.round(Number(cost) * 1e6);

/** What the table says, without rows that nothing is left of. */
async function counted(db: Db): Promise<Map<string, Sums>> {
  const { rows } = await db.raw<{ rows: Record<string, string>[] }>(
    `select project_id, grain, facet, starts_at, capability_id, value, n::text, errors::text, duration_ns::text,
       total_tokens::text, total_cost::text
     from traffic where n <> 0 or errors <> 0 or duration_ns <> 0 or total_tokens <> 0 or total_cost <> 0`,
  );
  return new Map(
    rows.map((row) => [
      [
        row['project_id'],
        row['grain'],
        row['facet'],
        Number(row['starts_at']),
        row['capability_id'],
        row['value'],
      ].join('|'),
      {
        n: Number(row['n']),
        errors: Number(row['errors']),
        durationNs: BigInt(row['duration_ns'] ?? ''),
        tokens: Number(row['total_tokens']),
        cost: millionths(row['total_cost'] ?? ''),
      },
    ]),
  );
}

/** The same from every trace and every call anew. */
async function recounted(db: Db, calls: readonly CallFigures[]): Promise<Map<string, Sums>> {
  const { rows } = await db.raw<{ rows: TraceFigures[] }>(
    `select project_id, trace_id, coalesce(capability_id, '') as capability, received_at as at, failed, duration_ns::text as duration,
       coalesce(total_tokens, 0) as tokens, coalesce(total_cost, 0)::text as cost,
       coalesce(nullif(error_message, ''), error_type, 'No message recorded') as error
     from traces`,
  );
  const sums = new Map<string, Sums>();
  const add = (trace: TraceFigures, facet: string, value: string, more: Partial<Sums>): void => {
    for (const [grain, length] of [['hour', HOUR_MS] as const, ['day', DAY_MS] as const]) {
      const startsAt = Math.floor(trace.at.getTime() / length) * length;
      const key = [trace.project_id, grain, facet, startsAt, trace.capability, value].join('|');
      const held = sums.get(key);
      sums.set(key, {
        n: (held?.n ?? 0) + (more.n ?? 1),
        errors: (held?.errors ?? 0) + (more.errors ?? 0),
        durationNs: (held?.durationNs ?? 0n) + (more.durationNs ?? 0n),
        tokens: (held?.tokens ?? 0) + (more.tokens ?? 0),
        cost: (held?.cost ?? 0) + (more.cost ?? 0),
      });
    }
  };
  const traces = new Map(rows.map((trace) => [trace.project_id + trace.trace_id, trace]));
  for (const trace of rows) {
    const durationNs = BigInt(trace.duration);
    const errors = trace.failed ? 1 : 0;
    add(trace, 'all', '', { errors, durationNs, tokens: trace.tokens, cost: millionths(trace.cost) });
    add(trace, 'duration', String(durationNs <= 1n ? 0 : Math.ceil(Math.log(Number(durationNs)) * 50)), {});
    if (trace.failed) add(trace, 'error', trace.error, { errors: 1 });
  }
  for (const { project_id: projectId, trace_id: id, model, errors, tokens, cost } of calls) {
    const trace = traces.get(projectId + id);
    if (trace !== undefined) add(trace, 'model', model, { errors, tokens, cost: millionths(cost) });
  }
  return sums;
}

async function callsOf(db: Db): Promise<readonly CallFigures[]> {
  const { rows } = await db.raw<{ rows: CallFigures[] }>(
    `select project_id, trace_id, model, (status_code = 2)::int as errors, coalesce(total_tokens, 0) as tokens,
       coalesce(total_cost, 0)::text as cost
     from spans where model is not null`,
  );
  return rows;
}

/** Two servers on one store; their clocks are set by hand and need not agree. */
async function makeStore() {
  const { db } = await freshDatabase();
  const services = await makeServices({ db });
  const owner = await services.accounts.create({ email: `${newId()}@example.com` });
  const projects = [
    await services.projects.create({ accountId: owner.id, name: 'Support agent' }),
    await services.projects.create({ accountId: owner.id, name: 'Another agent' }),
  ].map(({ id }) => id);
  const servers = [0, 1].map(() => {
    const clock = { at: MONDAY, now: () => new Date(clock.at) };
    const parts = createObservability({ db, clock, cursors: new PageCursors('traffic') });
    const send = (projectId: string, spans: readonly SpanLike[]) =>
      parts.ingest.ingest(projectId, readExport(otlpExport(spans.map(otlpSpan)), 1n).spans);
    return { ...parts, clock, send };
  });
  return { db, projects, servers };
}

describe('what the traces of an hour and a day add up to', function () {
  this.timeout(120_000);

  it('equals a full count after repeated, late, parallel and forgotten spans', async () => {
    const { db, projects, servers } = await makeStore();
    const { whole, pick } = randomFrom(20_310_303);
    const hex = (digits: number): string =>
      whole(0, 2 ** 30)
        .toString(16)
        .padStart(digits, '0');
    const traces = Array.from({ length: 60 }, () => ({ trace: hex(32), root: hex(16) }));
    const makeSpan = (): SpanLike => {
      const { trace, root } = pick(traces);
      const isRoot = whole(0, 3) === 0;
      const isCall = whole(0, 2) === 0;
      return {
        trace,
        ...(isRoot ? { id: root } : { id: hex(16), parent: root }),
        start: 1_762_500_000_000_000_000n + BigInt(whole(0, 1_000_000)),
        durationMs: pick([0, 0.000001, 3, 250, 250.001, 90_000]),
        ...(whole(0, 4) === 0 && { status: { code: 2, message: pick(['', 'no courier', 'out of words'.repeat(60)]) } }),
        attributes: {
          ...(whole(0, 2) === 0 && { 'overmind.capability': pick(['Triage', 'Refunds']) }),
          ...(isCall && {
            'gen_ai.request.model': pick(['small', 'large', '__proto__']),
            'genai.total_tokens': whole(0, 500),
            'genai.cost': whole(0, 1_000) / 1e6,
          }),
        },
      };
    };
    for (const server of servers) await server.upkeep.keepSpans(undefined, new AbortController().signal);
    let last: readonly SpanLike[] = [];
    for (let round = 0; round < 25; round += 1) {
      const batch = Array.from({ length: whole(1, 12) }, makeSpan);
      const sent = servers.map((server, index) => {
        // Clocks run on and now and then jump back.
        server.clock.at = MONDAY + whole(0, 3 * 24) * HOUR_MS - (whole(0, 3) === 0 ? 4 * DAY_MS : 0);
        return server.send(pick(projects), index === 0 ? [...batch, ...last] : batch);
      });
      await Promise.all(sent);
      last = batch;
    }
    assert.deepEqual(await counted(db), await recounted(db, await callsOf(db)));

    // What came in before that Monday is forgotten, as are traces that got nothing since.
    const [server] = servers;
    if (server === undefined) throw new Error('no server');
    server.clock.at = MONDAY + 8 * DAY_MS;
    const { removedTraces } = await server.upkeep.keepSpans(8, new AbortController().signal);
    assert.ok(removedTraces > 0 && removedTraces < 120, String(removedTraces));
    const left = await counted(db);
    const isOfTraces = ([key]: readonly [string, unknown]): boolean => !key.includes('|model|');
    assert.deepEqual(new Map([...left].filter(isOfTraces)), await recounted(db, []));
    server.clock.at = MONDAY + 30 * DAY_MS;
    await server.upkeep.keepSpans(1, new AbortController().signal);
    assert.equal((await counted(db)).size, 0);
    const { rows } = await db.raw<{ rows: { n: number }[] }>('select count(*) as n from traffic');
    assert.equal(rows[0]?.n, 0, 'nothing is kept of hours whose traces are gone');
  });

  it('gives percentiles within one per cent of the exact ones', () => {
    const { whole } = randomFrom(7);
    const durations = Array.from({ length: 20_000 }, () => 10 ** whole(3, 9) * whole(1, 1_000)).toSorted(
      (left, right) => left - right,
    );
    const buckets = new Map<number, number>();
    for (const ns of durations) {
      const bucket = Math.ceil(Math.log(ns) * 50);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
    }
    const inOrder = [...buckets].toSorted(([left], [right]) => left - right).map(([bucket, n]) => ({ bucket, n }));
    for (const share of [0.01, 0.5, 0.95, 1]) {
      const exact = durations[Math.ceil(share * durations.length) - 1] ?? 0;
      const near = percentileNs(inOrder, share) ?? 0;
      assert.ok(Math.abs(near / exact - 1) <= 0.0101, `${share}: ${near} for ${exact}`);
    }
    assert.equal(percentileNs([], 0.5), undefined);
  });
});
