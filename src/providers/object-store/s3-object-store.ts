import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type {
  ListMultipartUploadsCommandInput,
  ListMultipartUploadsCommandOutput,
  MultipartUpload,
} from '@aws-sdk/client-s3';
import { ObjectMissing } from '../../domain/datasets/index.ts';
import type { LocalCopy, ObjectStore, StoredObject, WrittenObject } from '../../domain/datasets/index.ts';
import { LocalCopies } from './local-copies.ts';
import { keySegments } from './object-key.ts';
import { connectS3, isAbsent, isUnsupported, toAppError } from './s3-connection.ts';
import type { S3Connection, S3Place } from './s3-connection.ts';
import { uploadStream } from './s3-upload.ts';
import { verified } from './verified.ts';

export interface S3ObjectStoreOptions {
  readonly place: S3Place;
  /** Folder for copies of objects that the query engine reads; of this server alone or of several. */
  readonly copiesFolder: string;
  /** How much of unused copies is kept for the next reader. */
  readonly keptBytes?: number;
}

type PageStart = Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'>;

const READ_CHUNK_BYTES = 1 << 18;
const KEPT_BYTES = 2 * 1024 ** 3;

/** Objects in a bucket of S3, or of a server that speaks its protocol. */
export class S3ObjectStore implements ObjectStore {
  readonly #place: S3Place;
  readonly #copies: LocalCopies;
  #connection: Promise<S3Connection> | undefined;

  constructor({ place, copiesFolder, keptBytes = KEPT_BYTES }: S3ObjectStoreOptions) {
    this.#place = place;
    this.#copies = new LocalCopies(copiesFolder, keptBytes);
  }

  async put(key: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<WrittenObject> {
    const name = this.#nameOf(key);
    let contentFault: unknown;
    const source = watched(content, (error) => (contentFault = error));
    try {
      const connection = await this.#connect();
      const target = { connection, bucket: this.#place.bucket, key: name, ...(signal && { signal }) };
      return { key, ...(await uploadStream(target, source)) };
    } catch (error) {
      throw error === contentFault || signal?.aborted === true ? error : toAppError(error);
    }
  }

  async putFile(key: string, file: string, signal?: AbortSignal): Promise<WrittenObject> {
    const written = await this.put(key, createReadStream(file, { highWaterMark: READ_CHUNK_BYTES }), signal);
    await rm(file, { force: true });
    return written;
  }

  async get(key: string, expected?: { readonly sha256: string }): Promise<AsyncIterable<Uint8Array>> {
    const address = this.#addressOf(key);
    const body = await this.#use(async ({ sdk, client }) => {
      try {
        return (await client.send(new sdk.GetObjectCommand(address))).Body;
      } catch (error) {
        throw isAbsent(error) ? new ObjectMissing(key, { cause: error }) : error;
      }
    });
    // because in Node the body is a readable stream of buffers
    const stream = passing(body as unknown as AsyncIterable<Uint8Array>);
    return expected === undefined ? stream : verified(key, stream, expected.sha256);
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    const address = this.#addressOf(key);
    return this.#use(async ({ sdk, client }) => {
      try {
        const found = await client.send(new sdk.HeadObjectCommand(address));
        return { key, sizeBytes: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? new Date(0) };
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    });
  }

  async open(key: string): Promise<LocalCopy> {
    return this.#copies.open(key, () => this.get(key));
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    const { bucket } = this.#place;
    const below = `${this.#nameOf(prefix)}/`;
    const own = below.length - prefix.length - 1;
    let from: string | undefined;
    do {
      const page = await this.#use(({ sdk, client }) =>
        client.send(
          new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: below, ...(from && { ContinuationToken: from }) }),
        ),
      );
      for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
        yield { key: Key.slice(own), sizeBytes: Size, modifiedAt: LastModified };
      }
      from = page.NextContinuationToken;
    } while (from !== undefined);
  }

  async delete(key: string): Promise<void> {
    const address = this.#addressOf(key);
    await this.#use(({ sdk, client }) => client.send(new sdk.DeleteObjectCommand(address)));
    await this.#copies.forget(key);
  }

  async sweepPartial(before: Date): Promise<number> {
    return (await this.#copies.sweep(before)) + (await this.#abortUploads(before));
  }

  /** Uploads whose process died. A server that cannot list them is trusted to end them by a rule of its own. */
  async #abortUploads(before: Date): Promise<number> {
    let removed = 0;
    for await (const { Key, UploadId, Initiated } of this.#openUploads()) {
      if (Initiated === undefined || Initiated >= before) continue;
      const address = { Bucket: this.#place.bucket, Key, UploadId };
      await this.#use(async ({ sdk, client }) => {
        try {
          await client.send(new sdk.AbortMultipartUploadCommand(address));
          removed += 1;
        } catch (error) {
          // Another process sweeps at the same time, or the upload has come to its end after all.
          if (!isAbsent(error)) throw error;
        }
      });
    }
    return removed;
  }

  async *#openUploads(): AsyncIterable<MultipartUpload> {
    let from: PageStart | undefined = {};
    while (from !== undefined) {
      const page: ListMultipartUploadsCommandOutput | undefined = await this.#uploadsFrom(from);
      yield* page?.Uploads ?? [];
      const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page ?? {};
      from = IsTruncated === true ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker } : undefined;
    }
  }

  #uploadsFrom(from: PageStart): Promise<ListMultipartUploadsCommandOutput | undefined> {
    const { bucket, prefix } = this.#place;
    return this.#use(async ({ sdk, client }) => {
      const wanted = { Bucket: bucket, ...(prefix && { Prefix: `${prefix}/` }), ...from };
      try {
        return await client.send(new sdk.ListMultipartUploadsCommand(wanted));
      } catch (error) {
        if (isUnsupported(error)) return undefined;
        throw error;
      }
    });
  }

  async #use<T>(work: (connection: S3Connection) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#connect());
    } catch (error) {
      throw error instanceof ObjectMissing ? error : toAppError(error);
    }
  }

  #connect(): Promise<S3Connection> {
    return (this.#connection ??= connectS3(this.#place));
  }

  #addressOf(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#place.bucket, Key: this.#nameOf(key) };
  }

  #nameOf(key: string): string {
    const name = keySegments(key).join('/');
    return this.#place.prefix === '' ? name : `${this.#place.prefix}/${name}`;
  }
}

/** The content, and what it failed with, to be told from a store that did. */
async function* watched(
  content: AsyncIterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): AsyncIterable<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

/** The bytes as they arrive; a connection that breaks in between is a passing trouble too. */
async function* passing(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw toAppError(error);
  }
}
