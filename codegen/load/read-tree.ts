import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.ts';
import { didYouMean } from './did-you-mean.ts';
import { FOLDERS, META_FOLDER, OPTIONAL_FILES, placeOf, RELEASES_FOLDER, SINGLE_FILES, TOP_FOLDERS } from './layout.ts';
import type { Place } from './layout.ts';

const MAX_BYTES = 1_048_576;
const MAX_FILES = 10_000;

export interface TreeFile extends Place {
  /** Relative to the root, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

export interface Tree {
  readonly files: readonly TreeFile[];
  readonly diagnostics: readonly Diagnostic[];
}

class TreeReader {
  readonly files: TreeFile[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly #root: string;
  readonly #realRoot: string;
  #seen = 0;

  constructor(root: string) {
    this.#root = root;
    this.#realRoot = realpathSync(root);
  }

  fault(rule: string, file: string, message: string, remedy?: string): void {
    const position = { file, line: 1, column: 1 };
    this.diagnostics.push({ rule, level: 'error', message, position, ...(remedy === undefined ? {} : { remedy }) });
  }

  folder(relative: string): void {
    const names = readdirSync(join(this.#root, relative)).sort();
    for (const name of names) {
      this.#seen += 1;
      if (this.#seen > MAX_FILES) return;
      const file = relative === '' ? name : `${relative}/${name}`;
      const stat = lstatSync(join(this.#root, file));
      if (stat.isSymbolicLink()) this.#link(file);
      else if (stat.isDirectory()) this.#subfolder(file);
      else this.#file(file);
    }
  }

  /** A link may name another file of the tree; anything else could read files that are not contracts. */
  #link(file: string): void {
    let target: string | undefined;
    try {
      target = realpathSync(join(this.#root, file));
    } catch {
      target = undefined;
    }
    if (target === undefined || !target.startsWith(this.#realRoot + sep)) {
      this.fault('tree-link', file, 'The symbolic link leaves the contract tree.', 'Copy the file into the tree.');
    } else if (statSync(target).isDirectory()) {
      this.fault('tree-link', file, 'A folder must not be a symbolic link.', 'Make it a real folder.');
    } else {
      this.#file(file);
    }
  }

  #subfolder(file: string): void {
    const parts = file.split('/');
    const top = parts[0] ?? '';
    if (parts.length === 1) {
      if (top === META_FOLDER || top === RELEASES_FOLDER) return;
      if (TOP_FOLDERS.includes(top)) this.folder(file);
      else
        this.fault(
          'tree-layout',
          file,
          `There is no folder \`${top}\` in a contract tree.`,
          didYouMean(top, TOP_FOLDERS),
        );
    } else if (parts.length === 2 && FOLDERS[top]?.byDomain === true) {
      this.folder(file);
    } else {
      this.fault(
        'tree-layout',
        file,
        `A folder does not belong inside \`${parts.slice(0, -1).join('/')}\`.`,
        'Move its files up.',
      );
    }
  }

  #file(file: string): void {
    const place = placeOf(file);
    if (place === undefined) {
      this.fault('tree-layout', file, 'This file is not part of a contract tree.', layoutHint(file));
      return;
    }
    const path = join(this.#root, file);
    if (!statSync(path).isFile()) {
      this.fault('tree-layout', file, 'This is not a regular file.', 'Remove it from the tree.');
      return;
    }
    if (statSync(path).size > MAX_BYTES) {
      this.fault('tree-size', file, 'The file is larger than 1 MiB.', 'Split the contract.');
      return;
    }
    const text = decode(readFileSync(path));
    if (text === undefined) this.fault('tree-encoding', file, 'The file is not UTF-8 text.', 'Save it as UTF-8.');
    else if (text.includes('\0')) this.fault('tree-encoding', file, 'The file holds a NUL character.', 'Remove it.');
    else this.files.push({ ...place, file, text });
  }
}

function layoutHint(file: string): string | undefined {
  const parts = file.split('/');
  const top = parts[0] ?? '';
  if (file.endsWith('.yml')) return `Rename it to \`${(parts.at(-1) ?? '').slice(0, -4)}.yaml\`.`;
  if (parts.length === 1) return didYouMean(file, ['server.yaml']);
  if (top === 'vocabulary') return didYouMean(file, Object.keys(SINGLE_FILES).slice(1));
  const folder = FOLDERS[top];
  if (folder?.byDomain === true && parts.length === 2) return `Move it to \`${top}/<domain>/${parts[1] ?? ''}\`.`;
  return 'Contract files end in `.yaml`.';
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reads every contract file under `root`, in path order. Throws only when the root itself cannot be read. */
export function readTree(root: string): Tree {
  const reader = new TreeReader(root);
  reader.folder('');
  return { files: reader.files, diagnostics: [...reader.diagnostics, ...missing(reader)] };
}

/** The same for files that are not on disk: a tree of an earlier commit, by path relative to its root. */
export function treeOf(contents: ReadonlyMap<string, Uint8Array>): Tree {
  const files: TreeFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const fault = (file: string, message: string): void => {
    diagnostics.push({ rule: 'tree-layout', level: 'error', message, position: { file, line: 1, column: 1 } });
  };
  for (const [file, bytes] of [...contents].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const top = file.split('/')[0];
    if (file.includes('/') && (top === META_FOLDER || top === RELEASES_FOLDER)) continue;
    const place = placeOf(file);
    const text = bytes.byteLength > MAX_BYTES ? undefined : decode(bytes);
    if (place === undefined) fault(file, 'This file is not part of a contract tree.');
    else if (text === undefined || text.includes('\0')) fault(file, 'The file is not UTF-8 text of at most 1 MiB.');
    else files.push({ ...place, file, text });
  }
  return { files, diagnostics: [...diagnostics, ...missing({ files, diagnostics })] };
}

function missing({ files, diagnostics }: Tree): Diagnostic[] {
  return Object.keys(SINGLE_FILES)
    .filter((file) => !OPTIONAL_FILES.includes(file))
    .filter((file) => ![...files, ...diagnostics.map(({ position }) => position)].some((one) => one.file === file))
    .map((file) => ({
      rule: 'tree-layout',
      level: 'error',
      message: 'The tree needs this file and it is missing.',
      remedy: 'Create it.',
      position: { file, line: 1, column: 1 },
    }));
}
