import { LocalObjectStore } from '../../src/providers/object-store/local-object-store.ts';
import { S3ObjectStore } from '../../src/providers/object-store/s3-object-store.ts';
import type { ObjectStore } from '../../src/domain/datasets/index.ts';
import type { S3ObjectStoreOptions } from '../../src/providers/object-store/s3-object-store.ts';

/** Which store to write to; the parent process sends it as JSON. */
export type StorePlace = { readonly folder: string } | S3ObjectStoreOptions;

export interface HalfWrite {
  readonly place: StorePlace;
  readonly key: string;
  readonly bytes: number;
}

const CHUNK_BYTES = 1 << 20;

/** Writes so many bytes of an object, says so, and waits for whoever kills it. */
async function main({ place, key, bytes }: HalfWrite): Promise<void> {
  const store: ObjectStore = 'folder' in place ? new LocalObjectStore(place.folder) : new S3ObjectStore(place);
  await store.put(key, half(bytes));
}

async function* half(bytes: number): AsyncIterable<Uint8Array> {
  for (let sent = 0; sent < bytes; sent += CHUNK_BYTES) yield Buffer.alloc(Math.min(CHUNK_BYTES, bytes - sent), 'x');
  process.stdout.write('half\n');
  await new Promise(() => setInterval(() => undefined, 60_000));
}

// because the parent process wrote this argument
await main(JSON.parse(process.argv[2] ?? '{}') as HalfWrite);
