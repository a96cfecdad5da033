import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ObjectDamaged } from '../../src/domain/datasets/index.ts';
import { LocalObjectStore } from '../../src/providers/object-store/local-object-store.ts';

describe('the files of LocalObjectStore', () => {
  let root: string;
  let store: LocalObjectStore;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'objects-'));
    store = new LocalObjectStore(root);
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  it('are gone when their write failed', async () => {
    await assert.rejects(store.put('a/b.bin', broken()), /connection lost/);
    assert.deepEqual(await readdir(path.join(root, 'partial')), []);
  });

  it('are told from what was written when they change on disk', async () => {
    const written = await store.put('a/b.bin', hello());
    await writeFile((await store.open('a/b.bin')).path, 'hellO');
    await assert.rejects(drain(store.get('a/b.bin', written)), ObjectDamaged);
  });

  it('are swept when an interrupted write left them, and only when they are old enough', async () => {
    await store.put('a/b', hello());
    const left = path.join(root, 'partial', 'left');
    await writeFile(left, 'half');
    await utimes(left, new Date('2026-01-01'), new Date('2026-01-01'));
    assert.equal(await store.sweepPartial(new Date('2025-12-31')), 0);
    assert.equal(await store.sweepPartial(new Date('2026-01-02')), 1);
    await drain(store.get('a/b'));
  });
});

async function* hello(): AsyncIterable<Uint8Array> {
  yield Promise.resolve(Buffer.from('hello'));
}

async function* broken(): AsyncIterable<Uint8Array> {
  yield Promise.resolve(Buffer.alloc(1 << 20));
  throw new Error('connection lost');
}

async function drain(stream: Promise<AsyncIterable<Uint8Array>>): Promise<void> {
  for await (const chunk of await stream) void chunk;
}
