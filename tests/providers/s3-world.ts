import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';
import { S3ObjectStore } from '../../src/providers/object-store/s3-object-store.ts';
import type { S3ObjectStoreOptions } from '../../src/providers/object-store/s3-object-store.ts';
import { openUploads } from './s3-open-uploads.ts';

const BUCKET = 'overmind-data';

/** A server that speaks S3, on a folder and a port of its own. */
export interface S3World {
  readonly endpoint: string;
  /** Files of the server, below the bucket. */
  readonly folder: string;
  /** A store as one process has it. */
  store(prefix?: string, keptBytes?: number): S3ObjectStore;
  /** What `store` is made of. */
  options(prefix?: string, keptBytes?: number): S3ObjectStoreOptions;
  /** Ends the server; what is stored stays until `close`. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** Frozen, as settings are. */
const S3_CREDENTIALS = Object.freeze({ accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' });

export async function s3World(): Promise<S3World> {
  const root = await mkdtemp(path.join(tmpdir(), 's3-'));
  const directory = path.join(root, 'server');
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const folder = path.join(directory, BUCKET);
  server.middleware.unshift(openUploads(BUCKET, folder));
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    server.httpServer.closeAllConnections();
    await server.close();
  };
  const options = (prefix = 'tests', keptBytes = 1 << 20): S3ObjectStoreOptions => ({
    place: { bucket: BUCKET, prefix, region: 'us-east-1', endpoint, credentials: S3_CREDENTIALS },
    copiesFolder: path.join(root, 'copies'),
    keptBytes,
  });
  let isStopped = false;
  return {
    endpoint,
    folder,
    store: (prefix, keptBytes) => new S3ObjectStore(options(prefix, keptBytes)),
    options,
    stop: async () => {
      isStopped = true;
      await stop();
    },
    close: async () => {
      if (!isStopped) await stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
