import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ObjectStore } from '../../../src/domain/datasets/index.ts';
import { DAY_MS, HOUR_MS } from '../../../src/kernel/duration.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { LocalObjectStore } from '../../../src/providers/object-store/local-object-store.ts';
import { s3World } from '../../providers/s3-world.ts';
import { ACCOUNT, datasetsWorld } from './datasets-world.ts';
import { question } from './traces.ts';

interface Place {
  readonly store: ObjectStore;
  close(): Promise<void>;
}

async function makeFolder(): Promise<Place> {
  const root = await mkdtemp(path.join(tmpdir(), 'orphans-'));
  return { store: new LocalObjectStore(root), close: () => rm(root, { recursive: true, force: true }) };
}

const KINDS: Readonly<Record<string, () => Promise<Place>>> = {
  'a folder': makeFolder,
  'an S3 server': async () => {
    const server = await s3World();
    return { store: server.store('installation'), close: () => server.close() };
  },
};

const LINES = ['{"input":"a","expected_output":"1"}\n', '{"input":"b","expected_output":"2"}\n'];
const BYTES = Buffer.from(LINES.join(''));

/**
 * A store whose caller is gone the moment an object is whole, as often as `deaths` says: nothing is written to the
 * database after it, and nothing is put right, just as when the process is killed there.
 */
function dying(store: ObjectStore): { readonly store: ObjectStore; deaths: number } {
  const die = <T>(written: T): T => {
    if (mortal.deaths === 0) return written;
    mortal.deaths -= 1;
    throw new AppError('unavailable', 'The process is killed.');
  };
  const mortal = {
    deaths: 0,
    store: {
      put: async (...args: Parameters<ObjectStore['put']>) => die(await store.put(...args)),
      putFile: async (...args: Parameters<ObjectStore['putFile']>) => die(await store.putFile(...args)),
      get: (...args: Parameters<ObjectStore['get']>) => store.get(...args),
      stat: (key: string) => store.stat(key),
      open: (key: string) => store.open(key),
      list: (prefix: string) => store.list(prefix),
      delete: (key: string) => store.delete(key),
      sweepPartial: (before: Date) => store.sweepPartial(before),
    },
  };
  return mortal;
}

/** A store that does something before the objects of datasets are listed the first time, and the second. */
function watched(store: ObjectStore, before: readonly (() => Promise<void>)[]): ObjectStore {
  const waiting = [...before];
  return {
    put: (...args: Parameters<ObjectStore['put']>) => store.put(...args),
    putFile: (...args: Parameters<ObjectStore['putFile']>) => store.putFile(...args),
    get: (...args: Parameters<ObjectStore['get']>) => store.get(...args),
    stat: (key: string) => store.stat(key),
    open: (key: string) => store.open(key),
    async *list(prefix: string) {
      if (prefix.startsWith('datasets/')) await waiting.shift()?.();
      yield* store.list(prefix);
    },
    delete: (key: string) => store.delete(key),
    sweepPartial: (from: Date) => store.sweepPartial(from),
  };
}

for (const [kind, makePlace] of Object.entries(KINDS)) {
  describe(`objects in ${kind} that no row points to`, function () {
    this.timeout(120_000);

    it('are seen by nobody, hinder nobody, and are gone a day later, when all that is in use is still there', async () => {
      const place = await makePlace();
      const mortal = dying(place.store);
      const world = await datasetsWorld({ objects: mortal.store });
      const keys = async (prefix: string): Promise<readonly string[]> => {
        const found: string[] = [];
        for await (const { key } of place.store.list(prefix)) found.push(key);
        return found;
      };
      try {
        const projectId = await world.project();
        const { uploads, creation, service } = world.datasets;
        const file = { fileName: 'rows.jsonl', sizeBytes: BYTES.length, accountId: ACCOUNT };
        const { id } = await uploads.begin(projectId, file);
        const half = BYTES.length / 2;
        const piece = (offset: number) => ({ offset, bytes: BYTES.subarray(offset, offset + half) });
        await uploads.append(projectId, id, piece(0));
        mortal.deaths = 1;
        await assert.rejects(uploads.append(projectId, id, piece(half)), { code: 'unavailable' });
        assert.equal((await uploads.get(projectId, id)).receivedBytes, half);
        const lost = (await keys('uploads')).length;
        assert.equal(lost, 2, 'the piece is stored and has no row');
        await uploads.append(projectId, id, piece(half));

        mortal.deaths = 1;
        const { dataset } = await creation.fromFiles(projectId, { name: 'set', accountId: ACCOUNT, uploads: [id] });
        const landed = await world.settled(dataset);
        assert.equal(landed.state, 'idle', landed.error);
        assert.equal(mortal.deaths, 0, 'the first attempt wrote its object and no row');
        const source = (await service.inspect(projectId, dataset.id)).active?.table?.objectKey ?? '';
        assert.deepEqual(await keys('datasets'), [source], 'the next attempt removes what the first one left');

        // Of a dataset whose row was never written, and of a project that is none any more.
        const strays = [projectId, newId()].map((project) => `datasets/${project}/${newId()}/${newId()}.parquet`);
        for (const stray of strays) await place.store.put(stray, once(BYTES));
        const sweepIn = (ms: number) => world.datasets.sweep(new Date(Date.now() + ms));
        await world.datasets.sweep();
        await sweepIn(23 * HOUR_MS);
        assert.deepEqual((await keys('datasets')).length, 3, 'a job that still runs may be about to write the row');
        assert.equal((await keys('uploads')).length, 3);

        await sweepIn(25 * HOUR_MS);
        assert.deepEqual(await keys('datasets'), [source]);
        assert.equal((await keys('uploads')).length, 2, 'the pieces of the file are kept for another landing');
        assert.equal((await world.rows(projectId, dataset.id)).length, LINES.length);

        await sweepIn(8 * DAY_MS);
        assert.deepEqual(await keys('uploads'), []);
        assert.deepEqual(await keys('datasets'), [source]);
        assert.equal((await world.rows(projectId, dataset.id)).length, LINES.length);
      } finally {
        await world.close();
        await place.close();
      }
    });
  });
}

describe('objects that no row points to yet', function () {
  this.timeout(60_000);

  it('are left alone by an attempt that lost its job before it looked for them', async () => {
    const place = await makeFolder();
    let later = '';
    let wasThere = false;
    // The attempt stands still, as long as it takes another to begin and to write what it will commit next.
    const takeOver = async (): Promise<void> => {
      const lease = world.db.raw(`now() + interval '2 seconds'`);
      const [job] = await world.db('jobs').update({ attempt: 2, lease_until: lease }, '*');
      later = `datasets/${job.project_id}/${job.subject_id}/${newId()}.parquet`;
      await place.store.put(later, once(BYTES));
    };
    const look = async (): Promise<void> => {
      wasThere = (await place.store.stat(later)) !== undefined;
    };
    const objects = watched(place.store, [takeOver, look]);
    const world = await datasetsWorld({ objects, settings: { sweepMs: 100 } });
    try {
      const projectId = await world.project();
      const traceIds = await world.ingest(projectId, [question('q', 'a')]);
      const made = await world.datasets.creation.fromTraces(projectId, { name: 'set', accountId: ACCOUNT, traceIds });
      assert.equal((await world.settled(made.dataset)).state, 'idle');
      assert.ok(wasThere, 'the attempt that was late removed what a later one had written');
    } finally {
      await world.close();
      await place.close();
    }
  });
});

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield Promise.resolve(bytes);
}
