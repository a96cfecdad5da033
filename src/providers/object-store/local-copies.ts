import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { LocalCopy } from '../../domain/datasets/index.ts';
import { newId } from '../../kernel/ids.ts';

interface Copy {
  readonly file: Promise<string>;
  sizeBytes: number;
  users: number;
}

/**
 * Objects of a distant store as files of this machine. A key is written once, so a copy never grows old: those that
 * nobody uses are kept for the next reader, the longest unused ones making room. Each process has its own folder.
 */
export class LocalCopies {
  readonly #root: string;
  readonly #own: string;
  readonly #keptBytes: number;
  /** In the order of last use. */
  readonly #copies = new Map<string, Copy>();

  constructor(root: string, keptBytes: number) {
    this.#root = path.resolve(root);
    this.#own = path.join(this.#root, newId());
    this.#keptBytes = keptBytes;
  }

  async open(key: string, read: () => Promise<AsyncIterable<Uint8Array>>): Promise<LocalCopy> {
    const known = this.#copies.get(key);
    const copy = known ?? { file: this.#fetch(read), sizeBytes: 0, users: 0 };
    copy.users += 1;
    this.#copies.delete(key);
    this.#copies.set(key, copy);
    try {
      const file = await copy.file;
      copy.sizeBytes = (await stat(file)).size;
      let isOpen = true;
      return {
        path: file,
        release: async () => {
          if (isOpen) copy.users -= 1;
          isOpen = false;
          await this.#makeRoom();
        },
      };
    } catch (error) {
      if (this.#copies.get(key) === copy) this.#copies.delete(key);
      throw error;
    }
  }

  /** The object is gone; readers that have its copy open finish with it. */
  async forget(key: string): Promise<void> {
    const copy = this.#copies.get(key);
    if (copy === undefined || copy.users > 0) return;
    this.#copies.delete(key);
    await rm(await copy.file, { force: true });
  }

  /** Folders of processes that are no more. */
  async sweep(before: Date): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.#root).catch(() => [])) {
      const folder = path.join(this.#root, name);
      const found = await stat(folder).catch(() => undefined);
      if (folder === this.#own || found === undefined || found.mtime >= before) continue;
      await rm(folder, { recursive: true, force: true });
      removed += 1;
    }
    return removed;
  }

  async #fetch(read: () => Promise<AsyncIterable<Uint8Array>>): Promise<string> {
    const content = await read();
    await mkdir(this.#own, { recursive: true, mode: 0o700 });
    const file = path.join(this.#own, newId());
    const partial = `${file}.partial`;
    try {
      await pipeline(content, createWriteStream(partial, { mode: 0o600 }));
      await rename(partial, file);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    return file;
  }

  async #makeRoom(): Promise<void> {
    let bytes = [...this.#copies.values()].reduce((sum, copy) => sum + copy.sizeBytes, 0);
    for (const [key, copy] of this.#copies) {
      if (bytes <= this.#keptBytes) return;
      if (copy.users > 0) continue;
      bytes -= copy.sizeBytes;
      this.#copies.delete(key);
      await rm(await copy.file, { force: true });
    }
  }
}
