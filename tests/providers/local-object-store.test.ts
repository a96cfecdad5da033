import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ObjectDamaged, ObjectMissing } from '../../src/domain/datasets/index.ts';
import type { StoredObject } from '../../src/domain/datasets/index.ts';
import { LocalObjectStore } from '../../src/providers/object-store/local-object-store.ts';

const HELLO_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

describe('LocalObjectStore', () => {
  let root: string;
  let store: LocalObjectStore;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'objects-'));
    store = new LocalObjectStore(root);
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  it('gives back the bytes, size and checksum of what was put', async () => {
    const written = await store.put('a/b.bin', chunks('he', 'llo'));
    assert.deepEqual(written, { key: 'a/b.bin', sizeBytes: 5, sha256: HELLO_SHA256 });
    assert.equal(await text(store.get('a/b.bin', written)), 'hello');
    assert.equal((await store.stat('a/b.bin'))?.sizeBytes, 5);
  });

  it('shows nothing of a write before it is whole, and nothing after it failed', async () => {
    const failing = store.put(
      'a/b.bin',
      brokenAfter(async () => assert.equal(await store.stat('a/b.bin'), undefined)),
    );
    await assert.rejects(failing, /connection lost/);
    assert.equal(await store.stat('a/b.bin'), undefined);
    assert.deepEqual(await readdir(path.join(root, 'partial')), []);
  });

  it('takes a file over by moving it', async () => {
    const file = path.join(root, 'work.bin');
    await writeFile(file, 'hello');
    assert.equal((await store.putFile('a/b.bin', file)).sha256, HELLO_SHA256);
    await assert.rejects(readFile(file), { code: 'ENOENT' });
    const copy = await store.open('a/b.bin');
    assert.equal(await readFile(copy.path, 'utf8'), 'hello');
    await copy.release();
  });

  it('fails the read when the bytes changed on disk', async () => {
    const written = await store.put('a/b.bin', chunks('hello'));
    await writeFile((await store.open('a/b.bin')).path, 'hellO');
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

  it('sweeps what interrupted writes left, and only when it is old enough', async () => {
    await store.put('a/b', chunks('x'));
    const left = path.join(root, 'partial', 'left');
    await writeFile(left, 'half');
    await utimes(left, new Date('2026-01-01'), new Date('2026-01-01'));
    assert.equal(await store.sweepPartial(new Date('2025-12-31')), 0);
    assert.equal(await store.sweepPartial(new Date('2026-01-02')), 1);
    assert.equal(await text(store.get('a/b')), 'x');
  });

  for (const key of ['../x', 'a/../b', '/a', 'a//b', 'a/', '', '.hidden', 'a/.b', 'a b', 'ä', 'a\\b', 'a\u0000b']) {
    it(`refuses the key ${JSON.stringify(key)}`, async () => {
      await assert.rejects(store.put(key, chunks('x')), RangeError);
      await assert.rejects(store.delete(key), RangeError);
    });
  }
});

async function* chunks(...parts: string[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield Promise.resolve(Buffer.from(part));
}

async function* brokenAfter(check: () => Promise<void>): AsyncIterable<Uint8Array> {
  yield Buffer.alloc(1 << 20);
  await check();
  throw new Error('connection lost');
}

async function text(stream: Promise<AsyncIterable<Uint8Array>>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of await stream) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
}

async function keys(objects: AsyncIterable<StoredObject>): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of objects) found.push(key);
  return found;
}
