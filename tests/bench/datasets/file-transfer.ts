import { createHash } from 'node:crypto';
import type { BenchCaller } from './bench-caller.ts';

const PIECE_BYTES = 4 * 1024 * 1024;

/** Makes a dataset of one small file and waits until its rows are there; the id of the dataset. */
export async function datasetOf(caller: BenchCaller, fileName: string, content: string | Uint8Array): Promise<string> {
  const client = caller.client();
  const parameters = { project_id: caller.projectId };
  const bytes = Buffer.from(content);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { id } = await client.begin_upload({
    parameters,
    body: { file_name: fileName, size_bytes: bytes.length, sha256 },
  });
  for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    await client.put_upload_chunk({
      parameters: { ...parameters, upload_id: id, offset: String(offset) },
      body: { contentType: 'application/octet-stream', bytes: piece },
    });
  }
  const made = await client.create_dataset({ parameters, body: { name: fileName, uploads: [id] } });
  const job = await caller.finishJob(made.job);
  if (job['status'] !== 'idle') throw new Error(`the dataset did not land: ${JSON.stringify(job)}`);
  return made.dataset.id;
}
