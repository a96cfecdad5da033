import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ObjectDamaged, ObjectMissing } from '../../src/domain/datasets/index.ts';
import type { ObjectStore, StoredObject } from '../../src/domain/datasets/index.ts';
import { HOUR_MS } from '../../src/kernel/duration.ts';
import { LocalObjectStore } from '../../src/providers/object-store/local-object-store.ts';
import type { HalfWrite, StorePlace } from './half-writer.ts';
import { uploadsIn } from './s3-open-uploads.ts';
import { eventually } from '../support/eventually.ts';
import { s3World } from './s3-world.ts';

interface StoreWorld {
  readonly store: ObjectStore;
  /** The same store for another process. */
  readonly place: StorePlace;
  /** Writes that are neither done nor given up, as the store itself keeps them. */
  unfinished(): Promise<number>;
  close(): Promise<void>;
}

const HELLO_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const BIG_BYTES = 20 * 1024 * 1024 + 17;
/** More than one part of an upload to S3. */
const HALF_BYTES = 9 * 1024 * 1024;

const KINDS: Readonly<Record<string, () => Promise<StoreWorld>>> = {
  LocalObjectStore: async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'objects-'));
    return {
      store: new LocalObjectStore(root),
      place: { folder: root },
      unfinished: async () => (await readdir(path.join(root, 'partial')).catch(() => [])).length,
      close: () => rm(root, { recursive: true, force: true }),
    };
  },
  S3ObjectStore: async () => {
    const world = await s3World();
    return {
      store: world.store(),
      place: world.options(),
      unfinished: async () => (await uploadsIn(world.folder)).length,
      close: () => world.close(),
    };
  },
};

for (const [kind, makeWorld] of Object.entries(KINDS)) {
  describe(kind, () => {
    let world: StoreWorld;
    let store: ObjectStore;
    let folder: string;

    beforeEach(async () => {
      world = await makeWorld();
      store = world.store;
      folder = await mkdtemp(path.join(tmpdir(), 'object-files-'));
    });

    afterEach(async () => {
      await world.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('gives back the bytes, size and checksum of what was put', async () => {
      const written = await store.put('a/b.bin', chunks('he', 'llo'));
      assert.deepEqual(written, { key: 'a/b.bin', sizeBytes: 5, sha256: HELLO_SHA256 });
      assert.equal(await text(store.get('a/b.bin', written)), 'hello');
      const stored = await store.stat('a/b.bin');
      assert.deepEqual([stored?.key, stored?.sizeBytes], ['a/b.bin', 5]);
      assert.ok(stored !== undefined && stored.modifiedAt.getTime() > Date.UTC(2020, 0));
    });

    it('keeps an empty object', async () => {
      const written = await store.put('a/empty', chunks());
      assert.equal(written.sizeBytes, 0);
      assert.equal(await text(store.get('a/empty', written)), '');
    });

    it('keeps an object of many parts', async () => {
      const bytes = pattern(BIG_BYTES);
      const written = await store.put('a/big', inChunks(bytes, 100_003));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      assert.deepEqual(written, { key: 'a/big', sizeBytes: BIG_BYTES, sha256 });
      assert.equal((await store.stat('a/big'))?.sizeBytes, BIG_BYTES);
      const copy = await store.open('a/big');
      assert.ok((await readFile(copy.path)).equals(bytes));
      await copy.release();
      assert.equal(
        createHash('sha256')
          .update(await bytesOf(store.get('a/big', written)))
          .digest('hex'),
        sha256,
      );
    });

    for (const bytes of [1 << 20, BIG_BYTES]) {
      it(`shows nothing of a write of ${bytes} bytes before it is whole, and nothing after it failed`, async () => {
        const failing = store.put(
          'a/b.bin',
          brokenAfter(bytes, async () => {
            assert.equal(await store.stat('a/b.bin'), undefined);
            assert.deepEqual(await keys(store.list('a')), []);
          }),
        );
        await assert.rejects(failing, { message: 'connection lost' });
        assert.equal(await store.stat('a/b.bin'), undefined);
        await assert.rejects(store.get('a/b.bin'), ObjectMissing);
      });
    }

    it('gives a write up when it is told to', async () => {
      const stop = new AbortController();
      const stopped = store.put(
        'a/b.bin',
        (async function* () {
          yield Buffer.alloc(1 << 20);
          stop.abort(new Error('lost the job'));
          yield Promise.resolve(Buffer.alloc(1 << 20));
        })(),
        stop.signal,
      );
      await assert.rejects(stopped, { message: 'lost the job' });
      assert.equal(await store.stat('a/b.bin'), undefined);
    });

    it('takes a file over', async () => {
      const file = path.join(folder, 'work.bin');
      await writeFile(file, 'hello');
      assert.equal((await store.putFile('a/b.bin', file)).sha256, HELLO_SHA256);
      await assert.rejects(readFile(file), { code: 'ENOENT' });
      const copies = await Promise.all([store.open('a/b.bin'), store.open('a/b.bin')]);
      for (const copy of copies) {
        assert.equal(await readFile(copy.path, 'utf8'), 'hello');
        await copy.release();
      }
    });

    it('fails the read when the bytes are not the ones that were written', async () => {
      const written = await store.put('a/b.bin', chunks('hello'));
      await store.delete('a/b.bin');
      await store.put('a/b.bin', chunks('hellO'));
      await assert.rejects(text(store.get('a/b.bin', written)), ObjectDamaged);
    });

    it('answers a missing object as missing', async () => {
      await assert.rejects(store.get('a/none'), ObjectMissing);
      await assert.rejects(store.open('a/none'), ObjectMissing);
      assert.equal(await store.stat('a/none'), undefined);
      await store.delete('a/none');
    });

    it('lists below whole segments, in key order', async () => {
      for (const key of ['p/1/b', 'p/1/a/x', 'p/10/c', 'q/1/d']) await store.put(key, chunks('x'));
      assert.deepEqual(await keys(store.list('p/1')), ['p/1/a/x', 'p/1/b']);
      assert.deepEqual(await keys(store.list('p')), ['p/1/a/x', 'p/1/b', 'p/10/c']);
      await store.delete('p/1/b');
      assert.deepEqual(await keys(store.list('p/1')), ['p/1/a/x']);
      assert.deepEqual(await keys(store.list('none')), []);
    });

    it('shows nothing of a write whose process is killed, and sweeps it once it is old enough', async function () {
      this.timeout(60_000);
      await killInTheMiddle({ place: world.place, key: 'a/b.bin', bytes: HALF_BYTES });
      assert.equal(await store.stat('a/b.bin'), undefined);
      assert.deepEqual(await keys(store.list('a')), []);
      await assert.rejects(store.get('a/b.bin'), ObjectMissing);
      await assert.rejects(store.open('a/b.bin'), ObjectMissing);
      assert.equal(await world.unfinished(), 1);
      await store.put('a/b.bin', chunks('whole'));
      assert.equal(await store.sweepPartial(new Date(Date.now() - HOUR_MS)), 0);
      assert.equal(await world.unfinished(), 1);
      assert.equal(await store.sweepPartial(new Date(Date.now() + HOUR_MS)), 1);
      assert.equal(await world.unfinished(), 0);
      assert.equal(await text(store.get('a/b.bin')), 'whole');
    });

    it('sweeps nothing that is whole', async () => {
      await store.put('a/b', chunks('x'));
      await store.put('a/big', inChunks(Buffer.alloc(HALF_BYTES), 1 << 20));
      assert.equal(await store.sweepPartial(new Date('2999-01-01')), 0);
      assert.equal(await text(store.get('a/b')), 'x');
    });

    it('refuses keys that are none', async () => {
      for (const key of ['../x', 'a/../b', '/a', 'a//b', 'a/', '', '.hidden', 'a/.b', 'a b', 'ä', 'a\\b', 'a\0b']) {
        await assert.rejects(store.put(key, chunks('x')), RangeError, key);
        await assert.rejects(store.delete(key), RangeError, key);
      }
    });
  });
}

describe('S3ObjectStore alone', () => {
  it('ends every upload that was left open under its prefix, and none of another installation', async () => {
    const world = await s3World();
    const [mine, theirs] = [world.store('one'), world.store('two')];
    const stop = new AbortController();
    const names = ['a/1', 'a/2', 'a/3', 'b/4', 'b/5'];
    const write = (store: ObjectStore, key: string) => store.put(key, stuck(stop.signal), stop.signal);
    const writes = [...names.map((key) => write(mine, key)), write(theirs, 'a/1')];
    await eventually(async () => assert.equal((await uploadsIn(world.folder)).length, writes.length));
    assert.equal(await mine.sweepPartial(new Date(Date.now() + HOUR_MS)), names.length);
    assert.deepEqual(
      (await uploadsIn(world.folder)).map(({ key }) => key),
      ['two/a/1'],
    );
    stop.abort();
    for (const write of await Promise.allSettled(writes)) assert.equal(write.status, 'rejected');
    assert.deepEqual([...(await keys(mine.list('a'))), ...(await keys(mine.list('b')))], []);
    await world.close();
  });

  it('says that it is unavailable when the server does not answer', async function () {
    this.timeout(60_000);
    const world = await s3World();
    const store = world.store();
    await store.put('a/b', chunks('x'));
    await world.stop();
    await assert.rejects(store.stat('a/b'), { code: 'unavailable' });
    await assert.rejects(store.get('a/b'), { code: 'unavailable' });
    await assert.rejects(store.put('a/c', chunks('y')), { code: 'unavailable' });
    await world.close();
  });

  it('keeps copies for the next reader as long as there is room, and never drops one that is read', async () => {
    const world = await s3World();
    const store = world.store('', 10);
    await store.put('a/1', chunks('12345678'));
    await store.put('a/2', chunks('12345678'));
    const first = await store.open('a/1');
    await first.release();
    const again = await store.open('a/1');
    assert.equal(again.path, first.path);
    const second = await store.open('a/2');
    await second.release();
    assert.equal(await readFile(again.path, 'utf8'), '12345678');
    await again.release();
    const left = await readdir(path.dirname(first.path));
    assert.equal(left.length, 1);
    await store.delete('a/1');
    await assert.rejects(store.open('a/1'), ObjectMissing);
    await world.close();
  });

  it('keeps projects of two installations apart by their prefix', async () => {
    const world = await s3World();
    const [one, two] = [world.store('one'), world.store('two/deep')];
    await one.put('a/b', chunks('1'));
    assert.equal(await two.stat('a/b'), undefined);
    assert.deepEqual(await keys(two.list('a')), []);
    assert.deepEqual(await keys(one.list('a')), ['a/b']);
    await world.close();
  });
});

/** Enough for the first part of an upload, and then nothing more until the write is given up. */
async function* stuck(signal: AbortSignal): AsyncIterable<Uint8Array> {
  yield Buffer.alloc(HALF_BYTES);
  await once(signal, 'abort');
  yield Buffer.alloc(1);
}

async function killInTheMiddle(task: HalfWrite): Promise<void> {
  const script = path.join(import.meta.dirname, 'half-writer.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  child.stdout.once('data', () => child.kill('SIGKILL'));
  assert.deepEqual(await ended, [null, 'SIGKILL']);
}

async function* chunks(...parts: string[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield Promise.resolve(Buffer.from(part));
}

async function* inChunks(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield Promise.resolve(bytes.subarray(start, start + size));
}

async function* brokenAfter(bytes: number, check: () => Promise<void>): AsyncIterable<Uint8Array> {
  yield* inChunks(Buffer.alloc(bytes), 1 << 20);
  await check();
  throw new Error('connection lost');
}

function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index += 4_099) bytes[index] = index % 251;
  return bytes;
}

async function bytesOf(stream: Promise<AsyncIterable<Uint8Array>>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of await stream) parts.push(chunk);
  return Buffer.concat(parts);
}

async function text(stream: Promise<AsyncIterable<Uint8Array>>): Promise<string> {
  return (await bytesOf(stream)).toString('utf8');
}

async function keys(objects: AsyncIterable<StoredObject>): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of objects) found.push(key);
  return found;
}
