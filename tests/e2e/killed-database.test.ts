import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { clientConfig } from '../../src/db/connect.ts';
import { otlpExport, otlpSpan } from '../domain/observability/support/otlp.ts';
import { eventually } from '../support/eventually.ts';
import { rpc } from '../support/mcp.ts';
import { emptyFolder, serve, type RunningServer } from '../support/process.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { Client } from 'pg';

/** `DATABASE_KILLS=50` makes a long run of it. */
const KILLS = Number(process.env['DATABASE_KILLS'] ?? 1);
const EXPORTS_PER_LIFE = 6;
const SPANS_PER_EXPORT = 20;
const TAKE_UP_MS = 60_000;

interface Export {
  readonly traceId: string;
  readonly body: string;
  taken: boolean;
}

function makeExport(serial: number): Export {
  const traceId = serial.toString(16).padStart(32, 'd');
  const spans = Array.from({ length: SPANS_PER_EXPORT }, (_, index) =>
    otlpSpan({ trace: traceId, id: (serial * 1_000 + index).toString(16).padStart(16, '0') }),
  );
  return { traceId, body: JSON.stringify(otlpExport(spans)), taken: false };
}

/** Marks the export as taken once the server says so; otherwise it is sent again, as exporters do. */
async function send(server: RunningServer, key: string, item: Export): Promise<void> {
  const response = await fetch(`${server.origin}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: item.body,
  }).catch((error: unknown) => {
    throw new Error(`the server does not answer; it has said:\n${server.process.stderr.slice(-4_000)}`, {
      cause: error,
    });
  });
  if (response.ok) item.taken = true;
  else assert.equal(response.status, 503, `an outage is told as one: ${await response.text()}`);
}

describe('an embedded database that is killed again and again', function () {
  this.timeout(120_000 + KILLS * 60_000);

  it('comes back by itself and keeps every accepted span and dataset, once', async () => {
    const folder = await emptyFolder();
    const server = await serve({ DATA_DIR: folder });
    const key = server.ready.first_run?.key ?? assert.fail('no key was made');
    const exports: Export[] = [];
    for (let life = 0; life < KILLS; life += 1) {
      const fresh = Array.from({ length: EXPORTS_PER_LIFE }, (_, index) =>
        makeExport(life * EXPORTS_PER_LIFE + index + 1),
      );
      exports.push(...fresh);
      const sending = fresh.map((item) => send(server, key, item));
      const landing = callTool(
        server,
        key,
        `life ${life}`,
        exports.filter(({ taken }) => taken).map((item) => item.traceId),
      );
      await wait(Math.random() * 300);
      // The one of the life before may still be on its way back.
      await eventually(() => killDatabase(folder), { withinMs: TAKE_UP_MS });
      await Promise.all([...sending, landing]);
      await eventually(
        async () => {
          for (const item of exports.filter(({ taken }) => !taken)) await send(server, key, item);
          assert.ok(
            exports.every(({ taken }) => taken),
            'some exports are refused',
          );
        },
        { withinMs: TAKE_UP_MS, everyMs: 200 },
      );
    }
    // Taken up within the minute, and then done.
    await eventually(async () => assert.equal(await openJobs(folder), 0), { withinMs: 2.5 * TAKE_UP_MS, everyMs: 500 });
    const [totals] = await look(
      folder,
      `select (select count(*)::int from spans) as spans, (select sum(span_count)::int from traces) as counted,
         (select count(*)::int from jobs where status <> 'succeeded') as failed,
         (select count(*)::int from datasets where state <> 'idle') as unsettled`,
    );
    const spans = exports.length * SPANS_PER_EXPORT;
    assert.deepEqual(totals, { spans, counted: spans, failed: 0, unsettled: 0 });
    await server.process.stop();
  });
});

/** Asks for a dataset of the traces; an answer that is lost with the database is as good as one. */
async function callTool(server: RunningServer, key: string, name: string, traceIds: readonly string[]): Promise<void> {
  if (traceIds.length === 0) return;
  const args = { name, trace_ids: traceIds.slice(-5) };
  const { result } = await rpc(server.origin, {
    key,
    method: 'tools/call',
    params: { name: 'create_dataset_from_traces', arguments: args },
  });
  assert.ok(result !== undefined);
  if (result['isError'] === true) assert.match(JSON.stringify(result['content']), /unavailable/);
}

function killDatabase(folder: string): void {
  const pid = Number(readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n', 1)[0]);
  process.kill(pid, 'SIGKILL');
}

async function openJobs(folder: string): Promise<number> {
  const [row] = await look(folder, 'select count(*)::int as n from jobs where finished_at is null');
  return Number(row?.['n']);
}

async function look(folder: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const database = await startEmbedded({ folder: join(folder, 'postgres') });
  const client = new Client(clientConfig(database.address, { applicationName: 'look' }));
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
    await database.leave();
  }
}
