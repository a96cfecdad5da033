import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DatabaseAddress } from '../../src/db/connect.ts';
import type { ObjectStore } from '../../src/domain/datasets/index.ts';
import { LocalObjectStore } from '../../src/providers/object-store/local-object-store.ts';
import { S3ObjectStore } from '../../src/providers/object-store/s3-object-store.ts';
import { beforeClosing } from './boot.ts';
import { eventually } from './eventually.ts';

/**
 * The suite runs on more than one installation: `TEST_OBJECT_STORE=s3` keeps objects on a server that speaks S3
 * instead of in folders, `TEST_PROCESSES=4` puts four instances of the server behind each address and as many workers.
 */
export const PROCESSES = Number(process.env['TEST_PROCESSES'] ?? 1);
const STORE = process.env['TEST_OBJECT_STORE'] ?? 'folder';
if (!['folder', 's3'].includes(STORE)) throw new Error(`TEST_OBJECT_STORE is ${STORE}; it must be folder or s3.`);
if (!(PROCESSES >= 1 && PROCESSES <= 16)) throw new Error('TEST_PROCESSES must be a number from 1 to 16.');

const BUCKET = 'overmind-tests';
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
/** Processes that a test starts keep their objects where it does. */
const ENDPOINT = 'TEST_S3_ENDPOINT';
const EVERYWHERE = { withinMs: 20_000, everyMs: 700 };

/** Starts what the installation needs besides its database; before the first test. */
export async function startLane(): Promise<void> {
  if (STORE !== 's3') return;
  const { default: S3rver } = await import('s3rver');
  const directory = await mkdtemp(path.join(tmpdir(), 's3-suite-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  process.env[ENDPOINT] = `http://127.0.0.1:${port}`;
  beforeClosing(async () => {
    server.httpServer.closeAllConnections();
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });
}

/** Settings of a server whose objects are looked for by all that share its database, or else its folder. */
export function objectSettings(place: DatabaseAddress | string): Readonly<Record<string, string>> {
  if (STORE !== 's3') return {};
  return {
    OBJECT_STORE_URL: `s3://${BUCKET}/${prefixOf(place)}`,
    OBJECT_STORE_ENDPOINT: endpoint(),
    OBJECT_STORE_CREDENTIALS: `${CREDENTIALS.accessKeyId}:${CREDENTIALS.secretAccessKey}`,
  };
}

/** The store that `objectSettings` names, or the folder. */
export function objectStoreOf(place: DatabaseAddress | string, folder: string): ObjectStore {
  if (STORE !== 's3') return new LocalObjectStore(path.join(folder, 'objects'));
  return new S3ObjectStore({
    place: {
      bucket: BUCKET,
      prefix: prefixOf(place),
      region: 'us-east-1',
      endpoint: endpoint(),
      credentials: CREDENTIALS,
    },
    copiesFolder: path.join(folder, 'copies'),
  });
}

/**
 * A change of access: the process that made it knows at once, the others when the two seconds of their memory are over.
 * Checks once where there is one process, and until all of them agree where there are more.
 */
export async function everywhere(check: () => Promise<unknown>): Promise<void> {
  if (PROCESSES === 1) {
    await check();
    return;
  }
  await eventually(async () => {
    for (let turn = 0; turn < PROCESSES; turn += 1) await check();
    // Slowly: a check may be a refused credential, and only so many of those are answered in a minute.
  }, EVERYWHERE);
}

function endpoint(): string {
  const url = process.env[ENDPOINT];
  if (url === undefined) throw new Error('The S3 server of the run is not started; `startLane` does it.');
  return url;
}

/** Objects of one database are none of another's: a sweep removes what its own does not know. */
function prefixOf(place: DatabaseAddress | string): string {
  return createHash('sha256').update(JSON.stringify(place)).digest('hex').slice(0, 16);
}
