import type { Db, Tx } from '../../db/database.ts';
import type { FileFormat } from './dataset-engine.ts';
import { optional } from './optional.ts';
import type { Upload, UploadChunk } from './upload.ts';

interface UploadRow {
  id: string;
  project_id: string;
  file_name: string;
  format: FileFormat;
  size_bytes: string;
  sha256: string | null;
  received_bytes: string;
  created_at: Date;
  updated_at: Date;
}

interface ChunkRow {
  start_byte: string;
  size_bytes: number;
  sha256: string;
  object_key: string;
}

export class UploadRepository {
  readonly #db: Db | Tx;

  constructor(db: Db | Tx) {
    this.#db = db;
  }

  in(tx: Tx): UploadRepository {
    return new UploadRepository(tx);
  }

  async insert(projectId: string, upload: Omit<Upload, 'projectId'> & { readonly createdBy: string }): Promise<void> {
    await this.#db('uploads').insert({
      project_id: projectId,
      id: upload.id,
      file_name: upload.fileName,
      format: upload.format,
      size_bytes: upload.sizeBytes,
      sha256: upload.sha256 ?? null,
      created_by: upload.createdBy,
      created_at: upload.createdAt,
      updated_at: upload.updatedAt,
    });
  }

  async find(projectId: string, id: string): Promise<Upload | undefined> {
    const row: UploadRow | undefined = await this.#db('uploads').where({ project_id: projectId, id }).first();
    return row && toUpload(row);
  }

  /** Holds the upload against every other piece and use until the transaction ends. */
  async lock(projectId: string, id: string): Promise<Upload | undefined> {
    const row: UploadRow | undefined = await this.#db('uploads')
      .where({ project_id: projectId, id })
      .forUpdate()
      .first();
    return row && toUpload(row);
  }

  async addChunk(projectId: string, id: string, chunk: UploadChunk, now: Date): Promise<void> {
    await this.#db('upload_chunks').insert({
      project_id: projectId,
      upload_id: id,
      start_byte: chunk.startByte,
      size_bytes: chunk.sizeBytes,
      sha256: chunk.sha256,
      object_key: chunk.objectKey,
    });
    await this.#db('uploads')
      .where({ project_id: projectId, id })
      .update({ received_bytes: chunk.startByte + chunk.sizeBytes, updated_at: now });
  }

  /** In the order of the file. */
  async chunks(projectId: string, id: string): Promise<readonly UploadChunk[]> {
    const rows: ChunkRow[] = await this.#db('upload_chunks')
      .where({ project_id: projectId, upload_id: id })
      .orderBy('start_byte');
    return rows.map(toChunk);
  }

  async findChunk(projectId: string, id: string, startByte: number): Promise<UploadChunk | undefined> {
    const row: ChunkRow | undefined = await this.#db('upload_chunks')
      .where({ project_id: projectId, upload_id: id, start_byte: startByte })
      .first();
    return row && toChunk(row);
  }

  async markUsed(projectId: string, ids: readonly string[], now: Date): Promise<void> {
    await this.#db('uploads')
      .where({ project_id: projectId })
      .whereIn('id', [...ids])
      .update({ used_at: now });
  }

  /** Uploads nobody went on with, and those whose rows have long been a dataset; oldest first. */
  async abandoned(
    before: { readonly unused: Date; readonly used: Date },
    limit: number,
  ): Promise<readonly Pick<Upload, 'projectId' | 'id'>[]> {
    const rows: Pick<UploadRow, 'project_id' | 'id'>[] = await this.#db('uploads')
      .where((unused) => void unused.whereNull('used_at').where('updated_at', '<', before.unused))
      .orWhere('used_at', '<', before.used)
      .orderBy('updated_at')
      .limit(limit)
      .select('project_id', 'id');
    return rows.map(({ project_id: projectId, id }) => ({ projectId, id }));
  }

  async delete(projectId: string, id: string): Promise<void> {
    await this.#db('uploads').where({ project_id: projectId, id }).delete();
  }

  async keysInUse(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const rows: Pick<ChunkRow, 'object_key'>[] = await this.#db('upload_chunks')
      .whereIn('object_key', [...keys])
      .select('object_key');
    return new Set(rows.map(({ object_key: key }) => key));
  }
}

function toUpload(row: UploadRow): Upload {
  return {
    id: row.id,
    projectId: row.project_id,
    fileName: row.file_name,
    format: row.format,
    sizeBytes: Number(row.size_bytes),
    ...optional('sha256', row.sha256 ?? undefined),
    receivedBytes: Number(row.received_bytes),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toChunk(row: ChunkRow): UploadChunk {
  return {
    startByte: Number(row.start_byte),
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    objectKey: row.object_key,
  };
}
