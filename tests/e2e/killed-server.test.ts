import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '../../src/kernel/ids.ts';
import { otlpExport, otlpSpan } from '../domain/observability/support/otlp.ts';
import { openHandle } from '../support/boot.ts';
import { eventually } from '../support/eventually.ts';
import { rpc } from '../support/mcp.ts';
import { emptyDatabaseUrl, emptyFolder, serve, type RunningServer } from '../support/process.ts';

/** `SERVER_KILLS=20` makes a long run of it. */
const KILLS = Number(process.env['SERVER_KILLS'] ?? 3);
const EXPORTS_PER_LIFE = 6;
const SPANS_PER_EXPORT = 20;

interface Export {
  readonly traceId: string;
  readonly body: string;
  taken: boolean;
}

interface Creation {
  readonly name: string;
  readonly request_key: string;
  readonly trace_ids: readonly string[];
  taken: boolean;
}

const spanIdOf = (serial: number, index: number): string => (serial * 1000 + index + 1).toString(16).padStart(16, '0');

/** One trace of some spans; its id counts up, so that every id is known. */
function makeExport(serial: number): Export {
  const traceId = serial.toString(16).padStart(32, 'a');
  const spans = Array.from({ length: SPANS_PER_EXPORT }, (_, index) =>
    otlpSpan({
      trace: traceId,
      id: spanIdOf(serial, index),
      name: index === 0 ? 'turn' : 'step',
      ...(index > 0 && { parent: spanIdOf(serial, 0) }),
    }),
  );
  return { traceId, body: JSON.stringify(otlpExport(spans)), taken: false };
}

describe('a server that is killed again and again', function () {
  this.timeout(120_000 + KILLS * 20_000);

  it('keeps every span and dataset it has accepted, once', async () => {
    const environment = { DATA_DIR: await emptyFolder(), DATABASE_URL: await emptyDatabaseUrl() };
    const exports: Export[] = [];
    const creations: Creation[] = [];
    let server = await serve(environment);
    const key = server.ready.first_run?.key ?? assert.fail('no key was made');

    for (let life = 0; life < KILLS; life += 1) {
      const fresh = Array.from({ length: EXPORTS_PER_LIFE }, (_, index) =>
        makeExport(life * EXPORTS_PER_LIFE + index + 1),
      );
      exports.push(...fresh);
      const ready = exports.filter(({ taken }) => taken).map(({ traceId }) => traceId);
      if (ready.length > 0)
        creations.push({
          name: `life ${String(life)}`,
          request_key: newId(),
          trace_ids: ready.slice(-5),
          taken: false,
        });
      const work = [
        ...exports.filter(({ taken }) => !taken).map((item) => send(server, key, item)),
        ...creations.filter(({ taken }) => !taken).map((item) => create(server, key, item)),
      ];
      await wait(Math.random() * 400);
      await server.process.stop('SIGKILL');
      await Promise.all(work);
      server = await serve(environment);
    }

    for (const item of exports.filter(({ taken }) => !taken)) await send(server, key, item);
    assert.ok(exports.every(({ taken }) => taken));
    await eventually(
      async () => {
        for (const item of creations.filter(({ taken }) => !taken)) await create(server, key, item);
        const open = creations.filter(({ taken }) => !taken).map(({ name }) => name);
        assert.deepEqual(open, [], 'some datasets were never accepted');
      },
      { withinMs: 150_000, everyMs: 1_000 },
    );

    const db = openHandle({ url: environment.DATABASE_URL });
    const { rows: spans } = await db.raw<{ rows: { n: number }[] }>('select count(*) as n from spans');
    assert.equal(spans[0]?.n, exports.length * SPANS_PER_EXPORT);
    const { rows: totals } = await db.raw<{ rows: { n: number }[] }>(
      `select count(*) as n from traces where span_count <> ${String(SPANS_PER_EXPORT)}`,
    );
    assert.equal(totals[0]?.n, 0, 'a trace counts its spans wrongly');
    await eventually(
      async () => {
        const { rows } = await db.raw<{ rows: { name: string; state: string }[] }>(
          'select name, state from datasets order by id',
        );
        assert.deepEqual(
          rows.map(({ name, state }) => `${name} ${state}`).toSorted(),
          creations.map(({ name }) => `${name} idle`).toSorted(),
        );
      },
      { withinMs: 150_000, everyMs: 1_000 },
    );
    for (const { name, trace_ids } of creations) {
      const result = await callTool(server, key, 'query_dataset', {
        dataset: name,
        sql: 'SELECT trace_id FROM t ORDER BY source_row',
      });
      const { rows } = result['structuredContent'] as { rows: { trace_id: string }[] };
      assert.deepEqual(
        rows.map(({ trace_id }) => trace_id),
        trace_ids,
      );
    }
    await server.process.stop();
  });
});

/** Marks the export as taken once the server says so; a broken connection leaves it for the next life. */
async function send({ origin }: RunningServer, key: string, item: Export): Promise<void> {
  const response = await fetch(`${origin}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: item.body,
  }).catch(() => undefined);
  if (response?.ok === true) item.taken = true;
}

async function create(server: RunningServer, key: string, item: Creation): Promise<void> {
  const { name, request_key, trace_ids } = item;
  const result = await callTool(server, key, 'create_dataset_from_traces', { name, request_key, trace_ids }).catch(
    () => undefined,
  );
  if (result === undefined) return;
  const [first] = result['content'] as { text: string }[];
  const answer = JSON.parse(first?.text ?? '{}') as {
    error?: { code: string; retryable: boolean; fields: { effect?: string } };
  };
  // A first call that took effect and whose answer died with the server says so; it must not be carried out again.
  if (answer.error === undefined || answer.error.fields.effect === 'committed') item.taken = true;
  else assert.ok(['request_conflict', 'unavailable'].includes(answer.error.code), JSON.stringify(answer));
}

async function callTool(
  server: RunningServer,
  key: string,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await rpc(server.origin, { key, method: 'tools/call', params: { name, arguments: args } });
  return answer.result ?? assert.fail(JSON.stringify(answer.error));
}
