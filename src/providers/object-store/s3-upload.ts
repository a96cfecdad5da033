import { createHash } from 'node:crypto';
import type { WrittenObject } from '../../domain/datasets/index.ts';
import type { S3Connection } from './s3-connection.ts';

/** Ten thousand parts are the most an object may have, which makes 80 GiB. */
const PART_BYTES = 8 * 1024 * 1024;

interface Target {
  readonly connection: S3Connection;
  readonly bucket: string;
  /** As the store knows it. */
  readonly key: string;
  readonly signal?: AbortSignal;
}

/**
 * Sends a stream, holding one part of it in memory. The store shows the object with the last request and not before:
 * a small one is a single request, a large one is put together from its parts when all have arrived.
 */
export async function uploadStream(
  target: Target,
  content: AsyncIterable<Uint8Array>,
): Promise<Omit<WrittenObject, 'key'>> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let upload: PartedUpload | undefined;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  try {
    for await (const chunk of content) {
      target.signal?.throwIfAborted();
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
      waiting.push(chunk);
      waitingBytes += chunk.byteLength;
      if (waitingBytes < PART_BYTES) continue;
      upload ??= await PartedUpload.begin(target);
      await upload.add(Buffer.concat(waiting));
      waiting = [];
      waitingBytes = 0;
    }
    const last = Buffer.concat(waiting);
    if (upload === undefined) await putWhole(target, last);
    else await upload.complete(last);
  } catch (error) {
    await upload?.abort();
    throw error;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

async function putWhole({ connection: { sdk, client }, bucket, key, signal }: Target, body: Buffer): Promise<void> {
  await client.send(
    new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentMD5: md5(body) }),
    withSignal(signal),
  );
}

/** An object that is sent in parts. */
class PartedUpload {
  readonly #target: Target;
  readonly #uploadId: string;
  readonly #parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];

  private constructor(target: Target, uploadId: string) {
    this.#target = target;
    this.#uploadId = uploadId;
  }

  static async begin(target: Target): Promise<PartedUpload> {
    const { sdk, client } = target.connection;
    const command = new sdk.CreateMultipartUploadCommand({ Bucket: target.bucket, Key: target.key });
    const { UploadId } = await client.send(command, withSignal(target.signal));
    if (UploadId === undefined) throw new Error('The object store began an upload without naming it.');
    return new PartedUpload(target, UploadId);
  }

  async add(body: Buffer): Promise<void> {
    const { connection, signal } = this.#target;
    const PartNumber = this.#parts.length + 1;
    const command = new connection.sdk.UploadPartCommand({
      ...this.#address,
      PartNumber,
      Body: body,
      ContentMD5: md5(body),
    });
    const { ETag } = await connection.client.send(command, withSignal(signal));
    this.#parts.push({ PartNumber, ETag });
  }

  async complete(last: Buffer): Promise<void> {
    if (last.byteLength > 0) await this.add(last);
    const { connection, signal } = this.#target;
    const command = new connection.sdk.CompleteMultipartUploadCommand({
      ...this.#address,
      MultipartUpload: { Parts: this.#parts },
    });
    await connection.client.send(command, withSignal(signal));
  }

  /** The parts take room until they are given up. What cannot be given up now is left to the sweep. */
  async abort(): Promise<void> {
    const { sdk, client } = this.#target.connection;
    await client.send(new sdk.AbortMultipartUploadCommand(this.#address)).catch(() => undefined);
  }

  get #address(): { readonly Bucket: string; readonly Key: string; readonly UploadId: string } {
    return { Bucket: this.#target.bucket, Key: this.#target.key, UploadId: this.#uploadId };
  }
}

function md5(body: Buffer): string {
  return createHash('md5').update(body).digest('base64');
}

function withSignal(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}
