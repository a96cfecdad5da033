import type * as Sdk from '@aws-sdk/client-s3';
import { AppError } from '../../kernel/errors.ts';

export type S3Sdk = typeof Sdk;

/** Where objects are kept, and as whom. */
export interface S3Place {
  readonly bucket: string;
  /** Segments that every key begins with; empty for none. */
  readonly prefix: string;
  readonly region: string;
  /** Of a server that is not Amazon's; buckets are then part of the path. */
  readonly endpoint?: string;
  /** Absent: what the SDK finds, such as the role of the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface S3Connection {
  readonly sdk: S3Sdk;
  readonly client: Sdk.S3Client;
}

const CONNECT_MS = 5_000;
const IDLE_MS = 60_000;
const ATTEMPTS = 4;

/** The SDK takes a while to load, so whoever keeps objects in a folder never loads it. */
export async function connectS3(place: S3Place): Promise<S3Connection> {
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client({
    region: place.region,
    maxAttempts: ATTEMPTS,
    // Other servers do not know the newer checksums; ours go along with each request instead.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: IDLE_MS },
    ...(place.endpoint !== undefined && { endpoint: place.endpoint, forcePathStyle: true }),
    // A copy: the SDK writes into what it is given, and settings are frozen.
    ...(place.credentials && { credentials: { ...place.credentials } }),
  });
  return { sdk, client };
}

/** Whether the store says that there is no such object. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && (['NoSuchKey', 'NotFound'].includes(error.name) || statusOf(error) === 404);
}

export function isUnsupported(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NotImplemented' || [405, 501].includes(statusOf(error) ?? 0));
}

/** A store that cannot be reached is a passing trouble; what it refuses is ours to put right. */
export function toAppError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError || error.name === 'AbortError') return error;
  const status = statusOf(error);
  if (status !== undefined && status < 500 && status !== 429) return error;
  return new AppError('unavailable', 'The object store does not answer at the moment; try again later.', {
    cause: error,
  });
}

function statusOf(error: Error): number | undefined {
  // because every answer of the SDK's service carries its metadata, errors included
  const { $metadata: metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return metadata?.httpStatusCode;
}
