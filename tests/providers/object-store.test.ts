import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ObjectDamaged, ObjectMissing } from '../../src/domain/datasets/index.ts';
import type { ObjectStore, StoredObject } from '../../src/domain/datasets/index.ts';
import { LocalObjectStore } from '../../src/providers/object-store/local-object-store.ts';
import { s3World } from './s3-world.ts';

interface StoreWorld {
  readonly store: ObjectStore;
  close(): Promise<void>;
}

const HELLO_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const BIG_BYTES = 20 * 1024 * 1024 + 17;

const KINDS: Readonly<Record<string, () => Promise<StoreWorld>>> = {
  LocalObjectStore: async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'objects-'));
    return { store: new LocalObjectStore(root), close: () => rm(root, { recursive: true, force: true }) };
  },
  S3ObjectStore: async () => {
    const world = await s3World();
    return { store: world.store(), close: () => world.close() };
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

    it('sweeps nothing that is whole', async () => {
      await store.put('a/b', chunks('x'));
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
