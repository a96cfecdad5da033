import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { assemble } from '../../domain/datasets/datasets-world.ts';
import { openHandle } from '../../support/boot.ts';
import { objectStoreOf } from '../../support/lane.ts';
import type { Installation } from './installation.ts';
import { SPANS_PER_EXPORT, type Traffic } from './traffic.ts';

const DAY_MS = 86_400_000;

/** Holds what is stored against everything that was confirmed; what is too much is as wrong as what is missing. */
export async function assertWhole(installation: Installation, traffic: Traffic): Promise<void> {
  await assertSpans(installation, traffic);
  await assertUploads(installation, traffic);
  await assertDatasets(installation, traffic);
  await assertJobs(installation, traffic);
  for (const { dataset, versions } of traffic.promised) await traffic.exportAll(dataset, versions);
  await assertObjects(installation);
}

async function assertSpans(installation: Installation, { traces, client }: Traffic): Promise<void> {
  const [totals] = await installation.look(
    `select (select count(*)::int from spans) as spans, (select count(*)::int from traces) as traces,
       (select coalesce(sum(span_count), 0)::int from traces) as counted,
       (select count(*)::int from traces where span_count <> ?::int) as torn`,
    [String(SPANS_PER_EXPORT)],
  );
  const spans = traces.length * SPANS_PER_EXPORT;
  assert.deepEqual(totals, { spans, traces: traces.length, counted: spans, torn: 0 });
  const stored = await installation.look<{ id: string }>('select trace_id as id from traces');
  assert.deepEqual(new Set(stored.map(({ id }) => id)), new Set(traces));
  const health = await client.read('inspect_capability_health', { days: 2 });
  assert.equal(health.traces.n, traces.length, 'the figures of health count each trace once');
}

async function assertUploads(installation: Installation, { promised, uploads }: Traffic): Promise<void> {
  for (const upload of [...uploads, ...promised.flatMap((dataset) => dataset.upload ?? [])]) {
    const [stored] = await installation.look(
      `select received_bytes::int as received, (select sum(size_bytes)::int from upload_chunks where upload_id = id) as pieces
       from uploads where id = ?`,
      [upload.id],
    );
    assert.deepEqual(stored, { received: upload.sizeBytes, pieces: upload.sizeBytes });
  }
}

async function assertDatasets(installation: Installation, { promised }: Traffic): Promise<void> {
  const stored = await installation.look<{ name: string; state: string; cells: unknown }>(
    `select name, state, (select json_agg(json_build_array(position, cells.state, row_count) order by position)
       from dataset_cells cells where cells.dataset_id = datasets.id) as cells from datasets`,
  );
  const sorted = (lines: readonly string[]) => lines.toSorted();
  assert.deepEqual(
    sorted(stored.map(({ name, state, cells }) => `${name} ${state} ${JSON.stringify(cells)}`)),
    sorted(
      promised.map(
        ({ name, versions }) =>
          `${name} idle ${JSON.stringify(versions.map(({ rows }, position) => [position, 'ok', rows]))}`,
      ),
    ),
  );
}

/** Each was asked for once, ended once, and left none behind that nobody looks after. */
async function assertJobs(installation: Installation, { jobs, runsAgain }: Traffic): Promise<void> {
  const [counted] = await installation.look(
    `select count(*)::int as jobs, count(*) filter (where status = 'succeeded')::int as succeeded,
       count(*) filter (where status = 'failed')::int as failed,
       count(*) filter (where finished_at is null)::int as open from jobs`,
  );
  assert.deepEqual(counted, { jobs, succeeded: jobs - runsAgain, failed: runsAgain, open: 0 });
}

/** After the sweep of a later day every object is one that a row names, and every row's object is there. */
async function assertObjects(installation: Installation): Promise<void> {
  const { folder, address } = installation;
  const objects = objectStoreOf('url' in address ? address.url : folder, folder);
  const parts = await assemble({ db: openHandle(address), address, folder, objects });
  await parts.datasets.sweep(new Date(Date.now() + 2 * DAY_MS));
  const kept: string[] = [];
  for (const prefix of ['datasets', 'uploads']) for await (const { key } of objects.list(prefix)) kept.push(key);
  const rows = await installation.look<{ key: string; sha256: string }>(
    `select object_key as key, object_sha256 as sha256 from dataset_cells where object_key is not null
     union all select object_key, sha256 from upload_chunks`,
  );
  assert.deepEqual(kept.toSorted(), rows.map(({ key }) => key).toSorted());
  for (const { key, sha256 } of rows) {
    const digest = createHash('sha256');
    for await (const bytes of await objects.get(key)) digest.update(bytes);
    assert.equal(digest.digest('hex'), sha256, `${key} has the bytes that were written`);
  }
  for (const place of ['objects/partial', 'work'])
    assert.deepEqual(await readdir(path.join(folder, place)).catch(() => []), [], `nothing half lies in ${place}`);
  await parts.datasets.close();
  await parts.delivery.stop();
}
