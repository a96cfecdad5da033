import { open, stat, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { ApiError, type Client } from '../../generated/client/index.ts';
import type { Upload } from '../../generated/contracts/models/upload.ts';
import { sleep } from '../kernel/duration.ts';
import { backoffMs } from '../kernel/retry.ts';
import { isWorthRepeating } from './explain.ts';
import { digestFile } from './file-digest.ts';
import { formatBytes, type Progress } from './progress.ts';
import type { UploadIdentity, UploadNotes } from './upload-notes.ts';
import { Refused, UsageFault } from './usage-fault.ts';

interface Sending {
  readonly origin: string;
  readonly client: Client;
  readonly projectId: string;
  readonly notes: UploadNotes;
  readonly progress: Progress;
}

export interface SentFile {
  readonly uploadId: string;
  readonly identity: UploadIdentity;
}

/** Failures in a row, without a byte of headway between them, after which the upload is given up. */
const FAILURES_MAX = 10;
const BACKOFF = { baseMs: 300, maxMs: 15_000 };
const PIECE_MS = 120_000;

/** Sends a file piece by piece, going on at what the server has after each lost connection. */
export async function sendFile(sending: Sending, path: string): Promise<SentFile> {
  const { progress, projectId, origin } = sending;
  const fileName = basename(path);
  const size = await sizeOf(path);
  const sha256 = await digestFile(path, (read) => progress.show(`${fileName}: reading ${share(read, size)}`));
  const identity = { origin, projectId, fileName, sha256 };
  const file = await open(path, 'r');
  try {
    return { identity, uploadId: await new Transfer(sending, file, identity, size).run() };
  } finally {
    progress.end();
    await file.close();
  }
}

class Transfer {
  readonly #sending: Sending;
  readonly #file: FileHandle;
  readonly #identity: UploadIdentity;
  readonly #size: number;
  #failures = 0;

  constructor(sending: Sending, file: FileHandle, identity: UploadIdentity, size: number) {
    this.#sending = sending;
    this.#file = file;
    this.#identity = identity;
    this.#size = size;
  }

  async run(): Promise<string> {
    const { progress } = this.#sending;
    let upload = await this.#begin();
    while (!upload.complete) {
      progress.show(`${this.#identity.fileName}: sending ${share(upload.received_bytes, this.#size)}`);
      const before = upload.received_bytes;
      upload = await this.#sendPiece(upload);
      if (upload.received_bytes > before) this.#failures = 0;
    }
    return upload.id;
  }

  /** Goes on with the upload that an earlier run began, or announces a new one. */
  async #begin(): Promise<Upload> {
    const { client, notes, projectId } = this.#sending;
    const known = await notes.find(this.#identity);
    const found = known === undefined ? undefined : await this.#find(known);
    if (found !== undefined && found.size_bytes === this.#size) return found;
    const { fileName, sha256 } = this.#identity;
    const upload = await this.#persistently(() =>
      client.begin_upload(
        {
          parameters: { project_id: projectId },
          body: { file_name: fileName, size_bytes: this.#size, sha256 },
        },
        AbortSignal.timeout(PIECE_MS),
      ),
    );
    await notes.keep(this.#identity, upload.id);
    return upload;
  }

  async #sendPiece(upload: Upload): Promise<Upload> {
    const { client, projectId } = this.#sending;
    const offset = upload.received_bytes;
    const bytes = await this.#read(offset, Math.min(upload.chunk_bytes, this.#size - offset));
    const parameters = { project_id: projectId, upload_id: upload.id, offset: String(offset) };
    try {
      const body = { contentType: 'application/octet-stream', bytes };
      return await client.put_upload_chunk({ parameters, body }, AbortSignal.timeout(PIECE_MS));
    } catch (error) {
      await this.#waitAfter(error, (code) => code === 'request_conflict');
      return this.#state(upload.id);
    }
  }

  #state(id: string): Promise<Upload> {
    const { client, projectId } = this.#sending;
    return this.#persistently(() =>
      client.get_upload({ parameters: { project_id: projectId, upload_id: id } }, AbortSignal.timeout(PIECE_MS)),
    );
  }

  /** An upload that nobody went on with is gone after a day. */
  async #find(id: string): Promise<Upload | undefined> {
    try {
      return await this.#state(id);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'resource_not_found') return undefined;
      throw error;
    }
  }

  async #persistently<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        await this.#waitAfter(error);
      }
    }
  }

  /** Throws what another try would not change; else waits, as long as the server asks for. */
  async #waitAfter(error: unknown, alsoWorth: (code: string) => boolean = () => false): Promise<void> {
    const isAnswer = error instanceof ApiError;
    if (!isWorthRepeating(error) && !(isAnswer && alsoWorth(error.code))) throw error;
    this.#failures += 1;
    if (this.#failures >= FAILURES_MAX) throw error;
    const asked = isAnswer ? Number(error.fields['retry_after_seconds'] ?? 0) * 1000 : 0;
    await sleep(Math.max(asked, backoffMs(this.#failures, BACKOFF)));
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#file.read(bytes, filled, length - filled, offset + filled);
      if (bytesRead === 0)
        throw new Refused(`${this.#identity.fileName} got shorter while it was sent; send it again.`);
      filled += bytesRead;
    }
    return bytes;
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) throw new UsageFault(`${path} is no file that can be read.`);
  if (found.size === 0) throw new UsageFault(`${path} is empty.`);
  return found.size;
}

function share(done: number, total: number): string {
  return `${formatBytes(done)} of ${formatBytes(total)} (${Math.floor((100 * done) / total)} %)`;
}
