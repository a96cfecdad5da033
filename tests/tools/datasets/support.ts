import { request } from 'node:http';
import { readExport } from '../../../src/domain/observability/index.ts';
import { exportOf, question } from '../../domain/datasets/traces.ts';
import type { TraceFixture } from '../../domain/datasets/traces.ts';
import { given } from '../../support/given.ts';
import type { World } from '../../support/given.ts';

// The shared server starts its engine processes with its first dataset, which no single test should be charged with.
before(async function () {
  this.timeout(90_000);
  await landedDataset(await given.project());
});

/** Stores traces in the world's project; answers their ids. */
export async function sendTraces(world: World, fixtures: readonly TraceFixture[]): Promise<string[]> {
  const exported = exportOf(fixtures);
  const receivedNs = BigInt(world.services.clock.now().getTime()) * 1_000_000n;
  await world.services.observability.ingest.ingest(world.project.id, readExport(exported.request, receivedNs).spans);
  return [...exported.traceIds];
}

/** `count` different tickets. */
export function tickets(count: number): TraceFixture[] {
  return Array.from({ length: count }, (_, index) => question(`Question ${index + 1}?`, `Answer ${index + 1}.`));
}

/** A landed dataset of `count` tickets; answers its id. */
export async function landedDataset(world: World, name = 'tickets', count = 3): Promise<string> {
  const trace_ids = await sendTraces(world, tickets(count));
  const made = await world.call('create_dataset_from_traces', { name, trace_ids });
  await finish(world, made.job);
  return made.dataset.id;
}

/** A landed dataset of the rows of a small file; answers what making it answered. */
export async function landedFile(world: World, fileName: string, text: string) {
  const client = world.client();
  const parameters = { project_id: world.project.id };
  const bytes = Buffer.from(text);
  const { id } = await client.begin_upload({ parameters, body: { file_name: fileName, size_bytes: bytes.length } });
  await client.put_upload_chunk({
    parameters: { ...parameters, upload_id: id, offset: '0' },
    body: { contentType: 'application/octet-stream', bytes },
  });
  const made = await client.create_dataset({ parameters, body: { name: fileName, uploads: [id] } });
  const job = await finish(world, made.job);
  if (job.status !== 'idle') throw new Error(`${fileName} does not land: ${job.job_error}`);
  return made;
}

/** A proposed version; answers its cell id. */
export async function proposal(world: World, dataset: string, script = 'SELECT * FROM t LIMIT 1'): Promise<string> {
  const step = { title: 'Keep one', sql: script, propose: true };
  return (await world.call('add_dataset_step', { dataset, ...step })).cell ?? '';
}

/** The job of a receipt, once it will not change by itself. */
export function finish(world: World, { kind, id }: { readonly kind: string; readonly id: string }) {
  return world.finishJob({ kind, id });
}

/** Sends a call and destroys the connection before it can be answered. */
export async function sendAndLeave(world: World, name: string, args: object): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
  const call = request(`${world.server.origin}/api/mcp/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-api-key': world.key,
      'mcp-protocol-version': '2025-11-25',
    },
  });
  call.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    call.end(body, () => {
      // The request is with the kernel, which delivers it although nobody waits for the answer.
      setTimeout(() => {
        call.destroy();
        resolve();
      }, 5);
    });
  });
}
