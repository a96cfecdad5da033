import { createHash } from 'node:crypto';
import { slowerNow, type Db, type Tx } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { DAY_MS } from '../../kernel/duration.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import type { SourceFile } from './dataset-engine.ts';
import { uploadChunkKey, UPLOADS_PREFIX } from './object-keys.ts';
import type { ObjectStore } from './object-store.ts';
import { optional } from './optional.ts';
import { UploadRepository } from './upload-repository.ts';
import { formatOf, UPLOAD_BYTES_MAX, uploadNotFound, type Upload } from './upload.ts';

export interface UploadServiceParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly newId: IdMaker;
  readonly objects: ObjectStore;
}

export interface NewUpload {
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly sha256?: string;
  readonly accountId: string;
}

const UNUSED_KEPT_MS = DAY_MS;
/** A landing that failed may be tried again for this long. */
const USED_KEPT_MS = 7 * DAY_MS;
const SWEPT_AT_ONCE = 200;

/**
 * Files on their way in, piece by piece. A piece counts once it is stored whole; whoever loses the connection asks how
 * far the file has come and goes on from there. Nothing of a file is seen by anybody before a dataset is made from it.
 */
export class UploadService {
  readonly #parts: UploadServiceParts;
  readonly #uploads: UploadRepository;

  constructor(parts: UploadServiceParts) {
    this.#parts = parts;
    this.#uploads = new UploadRepository(parts.db);
  }

  async begin(projectId: string, { fileName, sizeBytes, sha256, accountId }: NewUpload): Promise<Upload> {
    const format = formatOf(fileName);
    if (sizeBytes < 1 || sizeBytes > UPLOAD_BYTES_MAX) {
      throw new AppError(
        'invalid_input',
        'A file has at least 1 byte and at most 2 GiB; split it into several files.',
        {
          fields: { size_bytes: 'is out of bounds' },
        },
      );
    }
    const now = this.#parts.clock.now();
    const id = this.#parts.newId();
    const upload = { id, fileName, format, sizeBytes, receivedBytes: 0, createdAt: now, updatedAt: now };
    await this.#uploads.insert(projectId, { ...upload, ...optional('sha256', sha256), createdBy: accountId });
    return { ...upload, projectId, ...optional('sha256', sha256) };
  }

  async get(projectId: string, id: string): Promise<Upload> {
    const upload = await this.#uploads.find(projectId, id);
    if (upload === undefined) throw uploadNotFound();
    return upload;
  }

  /** Adds the piece that begins at `offset`. The same piece again changes nothing; any other place is a conflict. */
  async append(
    projectId: string,
    id: string,
    piece: { readonly offset: number; readonly bytes: Uint8Array; readonly sha256?: string },
  ): Promise<Upload> {
    const { offset, bytes } = piece;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (piece.sha256 !== undefined && piece.sha256 !== sha256) {
      throw new AppError('invalid_input', 'The piece does not have the checksum sent with it; send it again.', {
        fields: { sha256: 'differs' },
      });
    }
    const upload = await this.get(projectId, id);
    const chunk = { startByte: offset, sizeBytes: bytes.length, sha256 };
    if (offset !== upload.receivedBytes) return this.#settle(this.#uploads, upload, chunk);
    if (bytes.length === 0 || offset + bytes.length > upload.sizeBytes) {
      throw new AppError('invalid_input', 'A piece is not empty, and ends where the file ends at the latest.', {
        fields: { received_bytes: upload.receivedBytes, size_bytes: upload.sizeBytes },
      });
    }
    const { objects, newId, clock, db } = this.#parts;
    const objectKey = uploadChunkKey(projectId, id, newId());
    await objects.put(objectKey, once(bytes));
    try {
      return await db.transaction(async (tx) => {
        const uploads = this.#uploads.in(tx);
        const now = await uploads.lock(projectId, id);
        if (now === undefined) throw uploadNotFound();
        if (now.receivedBytes !== offset) throw new Overtaken(now);
        await uploads.addChunk(projectId, id, { ...chunk, objectKey }, clock.now());
        return { ...now, receivedBytes: offset + bytes.length };
      });
    } catch (error) {
      // After any other failure the row may be there all the same: what nobody refers to is the sweep's to remove.
      if (!(error instanceof Overtaken)) throw error;
      await objects.delete(objectKey);
      return this.#settle(this.#uploads, error.upload, chunk);
    }
  }

  /** The files in this order, all of them complete; in the transaction that makes them a dataset. */
  async use(tx: Tx, projectId: string, ids: readonly string[]): Promise<void> {
    const uploads = this.#uploads.in(tx);
    let total = 0;
    for (const id of ids.toSorted()) {
      const upload = await uploads.lock(projectId, id);
      if (upload === undefined) throw uploadNotFound();
      if (upload.receivedBytes < upload.sizeBytes) {
        throw new AppError('invalid_input', 'An upload is not complete; go on with it first.', {
          fields: { upload_id: id, received_bytes: upload.receivedBytes, size_bytes: upload.sizeBytes },
        });
      }
      total += upload.sizeBytes;
    }
    if (total > UPLOAD_BYTES_MAX) {
      throw new AppError(
        'invalid_input',
        'The files of a dataset have at most 2 GiB together; make several datasets of them.',
        {
          fields: { uploads: 'are too large' },
        },
      );
    }
    await uploads.markUsed(projectId, ids, this.#parts.clock.now());
  }

  /** The files as the engine reads them; a file whose bytes are not the ones announced fails at its end. */
  async open(projectId: string, ids: readonly string[]): Promise<readonly SourceFile[]> {
    const uploads = await Promise.all(ids.map((id) => this.#uploads.find(projectId, id)));
    return uploads.map((upload) => {
      if (upload === undefined) {
        throw new AppError('dataset_invalid', 'An uploaded file is not kept any more; upload it again.');
      }
      return { format: upload.format, content: () => this.#content(upload) };
    });
  }

  /** Removes what nobody goes on with, and pieces that no upload knows, as of now or then. The number of objects removed. */
  async sweep(asOf?: Date): Promise<number> {
    const nowMs = (asOf ?? (await slowerNow(this.#parts.db, this.#parts.clock))).getTime();
    const before = { unused: new Date(nowMs - UNUSED_KEPT_MS), used: new Date(nowMs - USED_KEPT_MS) };
    for (const { projectId, id } of await this.#uploads.abandoned(before, SWEPT_AT_ONCE)) {
      await this.#uploads.delete(projectId, id);
    }
    let removed = 0;
    for await (const { key, modifiedAt } of this.#parts.objects.list(UPLOADS_PREFIX)) {
      if (modifiedAt >= before.unused || (await this.#uploads.keysInUse([key])).has(key)) continue;
      await this.#parts.objects.delete(key);
      removed += 1;
    }
    return removed;
  }

  async #settle(
    uploads: UploadRepository,
    upload: Upload,
    chunk: { readonly startByte: number; readonly sizeBytes: number; readonly sha256: string },
  ): Promise<Upload> {
    const known = await uploads.findChunk(upload.projectId, upload.id, chunk.startByte);
    if (known?.sizeBytes === chunk.sizeBytes && known.sha256 === chunk.sha256) return upload;
    throw new AppError('request_conflict', 'The file goes on at another place; send the piece that begins there.', {
      fields: { received_bytes: upload.receivedBytes },
    });
  }

  async *#content(upload: Upload): AsyncIterable<Uint8Array> {
    const hash = createHash('sha256');
    for (const chunk of await this.#uploads.chunks(upload.projectId, upload.id)) {
      for await (const bytes of await this.#parts.objects.get(chunk.objectKey, { sha256: chunk.sha256 })) {
        hash.update(bytes);
        yield bytes;
      }
    }
    if (upload.sha256 === undefined || hash.digest('hex') === upload.sha256) return;
    throw new AppError('dataset_invalid', 'The file that arrived does not have the checksum announced for it.');
  }
}

/** Another request has stored this piece, or a different one, meanwhile. */
class Overtaken extends Error {
  readonly upload: Upload;

  constructor(upload: Upload) {
    super('The upload went on meanwhile.');
    this.upload = upload;
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
