import assert from 'node:assert/strict';
import { otlpExport, otlpSpan, spanId, traceId } from '../domain/observability/support/otlp.ts';
import { freshDatabase } from '../support/boot.ts';
import { eventually } from '../support/eventually.ts';
import { given, type World } from '../support/given.ts';
import { startServer } from '../support/mcp.ts';

const PROCESSES = 2;
/** What one process takes on at once, and how much of that it writes at once. */
const REQUESTS = 32;
const WRITERS = 3;
const OVER = 12;
const SPANS = 3;

/** One export of a trace of its own; sending it again sends the same spans. */
interface Export {
  readonly trace: string;
  readonly body: string;
}

interface Answer {
  readonly sent: Export;
  readonly status: number;
  readonly retryAfter: string | null;
}

function makeExport(): Export {
  const [trace, root] = [traceId(), spanId()];
  const spans = Array.from({ length: SPANS }, (_, index) =>
    otlpSpan(index === 0 ? { trace, id: root } : { trace, parent: root }),
  );
  return { trace, body: JSON.stringify(otlpExport(spans)) };
}

async function send(world: World, sent: Export): Promise<Answer> {
  const response = await fetch(`${world.server.origin}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': world.key },
    body: sent.body,
  });
  await response.arrayBuffer();
  return { sent, status: response.status, retryAfter: response.headers.get('retry-after') };
}

const tracesOf = (answers: readonly Answer[]): string[] => answers.map(({ sent }) => sent.trace).toSorted(compare);
const compare = (left: string, right: string): number => (left < right ? -1 : 1);

describe('ingest by several servers on one database, under more load than they take', function () {
  this.timeout(60_000);

  it('refuses what is over the bound of each, keeps nothing of it, and keeps it once when it is sent again', async () => {
    const database = await freshDatabase();
    const server = await startServer({ processes: PROCESSES, database });
    const world = await given.project({ server });
    const { db } = database;
    const stored = async () => {
      const spans = await db('spans').where({ project_id: world.project.id }).select('trace_id');
      const traces = await db('traces').where({ project_id: world.project.id }).orderBy('trace_id');
      const ids: string[] = traces.map(({ trace_id: id }: { trace_id: string }) => id);
      const counts: number[] = traces.map(({ span_count: count }: { span_count: number }) => count);
      return { spans: spans.length, traces: ids.toSorted(compare), counts: [...new Set(counts)] };
    };
    // Writers wait here, readers do not.
    const hold = await db.transaction();
    await hold.raw('lock table traces in exclusive mode');

    const answers: Answer[] = [];
    const sending = Array.from({ length: PROCESSES * (REQUESTS + OVER) }, async () => {
      answers.push(await send(world, makeExport()));
    });
    await eventually(() => assert.equal(answers.length, PROCESSES * OVER));
    const refused = [...answers];
    for (const { status, retryAfter } of refused) assert.deepEqual([status, retryAfter], [429, '1']);
    await eventually(async () => {
      const waiting = await db.raw<{ rows: { writers: number }[] }>(
        `select count(*)::int as writers from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      assert.equal(waiting.rows[0]?.writers, PROCESSES * WRITERS);
    });
    assert.deepEqual(await stored(), { spans: 0, traces: [], counts: [] });
    assert.deepEqual((await world.call('query_traces', {})).traces, [], 'readers are answered meanwhile');

    await hold.rollback();
    await Promise.all(sending);
    const taken = answers.filter((answer) => !refused.includes(answer));
    assert.deepEqual([...new Set(taken.map(({ status }) => status))], [200]);
    assert.equal(taken.length, PROCESSES * REQUESTS);
    assert.deepEqual(await stored(), { spans: taken.length * SPANS, traces: tracesOf(taken), counts: [SPANS] });

    // Every other one of those that were taken comes again too, as after an answer that was lost on the way.
    const again = [...refused, ...taken.filter((_, index) => index % 2 === 0)];
    for (let start = 0; start < again.length; start += REQUESTS) {
      const repeated = await Promise.all(again.slice(start, start + REQUESTS).map(({ sent }) => send(world, sent)));
      assert.deepEqual([...new Set(repeated.map(({ status }) => status))], [200]);
    }
    assert.deepEqual(await stored(), { spans: answers.length * SPANS, traces: tracesOf(answers), counts: [SPANS] });
    await server.stop();
  });
});
