import { AppError } from '../../kernel/errors.ts';
import type { FileFormat } from './dataset-engine.ts';

/** What is called how. */
const UPLOAD_EXTENSIONS: Readonly<Record<string, FileFormat>> = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.parquet': 'parquet',
};
export const UPLOAD_BYTES_MAX = 2 * 1024 * 1024 * 1024;
/** What a client should send at once; a larger piece is taken up to the limit of the endpoint. */
export const UPLOAD_CHUNK_BYTES = 4 * 1024 * 1024;

/** A file on its way in. It can be gone on with until `receivedBytes` is `sizeBytes`. */
export interface Upload {
  readonly id: string;
  readonly projectId: string;
  readonly fileName: string;
  readonly format: FileFormat;
  readonly sizeBytes: number;
  /** Of the whole file as its sender knows it; lower-case hex. */
  readonly sha256?: string;
  readonly receivedBytes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface UploadChunk {
  readonly startByte: number;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly objectKey: string;
}

export function formatOf(fileName: string): FileFormat {
  const extension = /\.[a-z0-9]+$/i.exec(fileName)?.[0].toLowerCase() ?? '';
  const format = UPLOAD_EXTENSIONS[extension];
  if (format !== undefined && !/[\p{Cc}/\\]/u.test(fileName)) return format;
  throw new AppError('invalid_input', `The file name must end in ${Object.keys(UPLOAD_EXTENSIONS).join(', ')}.`, {
    fields: { file_name: 'has another ending, or a character that no file name has' },
  });
}

export function uploadNotFound(): AppError {
  return new AppError('resource_not_found', 'There is no such upload in this project.');
}
