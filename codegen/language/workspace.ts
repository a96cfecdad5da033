/** The contract trees that an editor has open: files on disk, with unsaved texts in front of them. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { judgeLoaded, type Checked } from '../cli/compile-tree.ts';
import { figuresUnder, type CountFigures } from '../costs/figures.ts';
import { readTree } from '../load/read-tree.ts';
import { forgetOthers, type DocumentMemory } from '../load/read-documents.ts';
import { loadModelOf } from '../model/load-model.ts';
import { placeOf } from '../load/layout.ts';

const DEEPEST = 8;

/** One folder of contracts with the texts an editor holds. */
export class Workspace {
  readonly root: string;
  readonly #unsaved = new Map<string, string>();
  readonly #memory: DocumentMemory = new Map();
  readonly #figures: CountFigures;
  /** The last state that could be understood: names stay known while a file is half written. */
  #good: NonNullable<Checked['parts']> | undefined;

  constructor(root: string) {
    this.root = root;
    this.#figures = figuresUnder(root);
  }

  /** Path inside the contract folder; undefined for what is no contract file of it. */
  fileOf(path: string): string | undefined {
    const file = relative(this.root, path).split(sep).join('/');
    return file.startsWith('..') || placeOf(file) === undefined ? undefined : file;
  }

  pathOf(file: string): string {
    return join(this.root, file);
  }

  keep(file: string, text: string | undefined): void {
    if (text === undefined) this.#unsaved.delete(file);
    else this.#unsaved.set(file, text);
  }

  get known(): NonNullable<Checked['parts']> | undefined {
    return this.#good;
  }

  async check(today: string): Promise<Checked> {
    const disk = readTree(this.root);
    const texts = new Map(disk.files.map(({ file, text }) => [file, text]));
    for (const [file, text] of this.#unsaved) texts.set(file, text);
    const encoder = new TextEncoder();
    const contents = new Map([...texts].map(([file, text]) => [file, encoder.encode(text)]));
    const loaded = await loadModelOf(contents, this.#memory);
    const checked = judgeLoaded(loaded, { today, figures: this.#figures });
    this.#good = checked.parts ?? this.#good;
    forgetOthers(this.#memory, texts);
    return checked;
  }
}

/** The contract folder that a file stands in: the nearest one above it that holds `server.yaml`. */
export function contractRootOf(path: string): string | undefined {
  let folder = dirname(resolve(path));
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    if (existsSync(join(folder, 'server.yaml'))) return folder;
    folder = dirname(folder);
  }
  return undefined;
}
