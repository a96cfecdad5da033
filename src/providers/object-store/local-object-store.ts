import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Dirent } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../../kernel/ids.ts';
import { ObjectMissing } from '../../domain/datasets/index.ts';
import type { LocalCopy, ObjectStore, StoredObject, WrittenObject } from '../../domain/datasets/index.ts';
import { keySegments } from './object-key.ts';
import { verified } from './verified.ts';

const OBJECTS = 'objects';
const PARTIAL = 'partial';
const READ_CHUNK_BYTES = 1 << 18;

/**
 * Objects as files below one folder. A write goes to `partial/`, is synced, and is renamed into place, so a reader or
 * a crash never meets half an object. Both folders are on one file system, which makes the rename atomic.
 */
export class LocalObjectStore implements ObjectStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = path.resolve(root);
  }

  async put(key: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<WrittenObject> {
    const target = this.#pathOf(key);
    const partial = await this.#partialPath();
    const hash = createHash('sha256');
    let sizeBytes = 0;
    try {
      const file = await open(partial, 'wx', 0o600);
      try {
        for await (const chunk of content) {
          signal?.throwIfAborted();
          hash.update(chunk);
          sizeBytes += chunk.byteLength;
          await writeAll(file, chunk);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      await publish(partial, target);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    return { key, sizeBytes, sha256: hash.digest('hex') };
  }

  async putFile(key: string, file: string, signal?: AbortSignal): Promise<WrittenObject> {
    const target = this.#pathOf(key);
    const hash = createHash('sha256');
    const sizeBytes = await digestFile(file, hash, signal);
    const written = { key, sizeBytes, sha256: hash.digest('hex') };
    const partial = await this.#partialPath();
    try {
      await rename(file, partial);
    } catch (error) {
      if (!isCode(error, 'EXDEV')) throw error;
      await this.put(key, createReadStream(file, { highWaterMark: READ_CHUNK_BYTES }), signal);
      await rm(file, { force: true });
      return written;
    }
    await syncPath(partial);
    await publish(partial, target);
    return written;
  }

  async get(key: string, expected?: { readonly sha256: string }): Promise<AsyncIterable<Uint8Array>> {
    const file = await open(this.#pathOf(key), 'r').catch((error: unknown) => {
      throw isCode(error, 'ENOENT') ? new ObjectMissing(key, { cause: error }) : error;
    });
    const stream = file.createReadStream({ highWaterMark: READ_CHUNK_BYTES });
    return expected === undefined ? stream : verified(key, stream, expected.sha256);
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    return describe(key, this.#pathOf(key));
  }

  async open(key: string): Promise<LocalCopy> {
    const file = this.#pathOf(key);
    if ((await describe(key, file)) === undefined) throw new ObjectMissing(key);
    return { path: file, release: () => Promise.resolve() };
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    yield* walk(path.join(this.#root, OBJECTS), keySegments(prefix).join('/'));
  }

  async delete(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  async sweepPartial(before: Date): Promise<number> {
    const folder = path.join(this.#root, PARTIAL);
    let removed = 0;
    for (const entry of await entriesOf(folder)) {
      const file = path.join(folder, entry.name);
      const found = await stat(file).catch(() => undefined);
      if (found === undefined || found.mtime >= before) continue;
      await rm(file, { force: true });
      removed += 1;
    }
    return removed;
  }

  #pathOf(key: string): string {
    return path.join(this.#root, OBJECTS, ...keySegments(key));
  }

  async #partialPath(): Promise<string> {
    const folder = path.join(this.#root, PARTIAL);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return path.join(folder, newId());
  }
}

async function publish(partial: string, target: string): Promise<void> {
  const folder = path.dirname(target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rename(partial, target);
  // Without this a power cut may take back the new name although the bytes are on disk.
  await syncPath(folder);
}

async function syncPath(target: string): Promise<void> {
  const handle = await open(target, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let offset = 0;
  while (offset < chunk.byteLength) {
    const { bytesWritten } = await file.write(chunk, offset);
    offset += bytesWritten;
  }
}

async function digestFile(file: string, hash: Hash, signal?: AbortSignal): Promise<number> {
  let sizeBytes = 0;
  const stream: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: READ_CHUNK_BYTES });
  for await (const chunk of stream) {
    signal?.throwIfAborted();
    hash.update(chunk);
    sizeBytes += chunk.byteLength;
  }
  return sizeBytes;
}

async function* walk(root: string, prefix: string): AsyncIterable<StoredObject> {
  const entries = await entriesOf(path.join(root, ...prefix.split('/')));
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const key = `${prefix}/${entry.name}`;
    if (entry.isDirectory()) {
      yield* walk(root, key);
      continue;
    }
    const found = await describe(key, path.join(root, ...key.split('/')));
    if (found !== undefined) yield found;
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

async function describe(key: string, file: string): Promise<StoredObject | undefined> {
  try {
    const found = await stat(file);
    return found.isFile() ? { key, sizeBytes: found.size, modifiedAt: found.mtime } : undefined;
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
