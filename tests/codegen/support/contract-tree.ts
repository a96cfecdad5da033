import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { judgeLoaded } from '../../../codegen/cli/compile-tree.ts';
import { readSnapshot } from '../../../codegen/baseline/snapshot.ts';
import { baselineOf, lastBaseline } from '../../../codegen/costs/baseline.ts';
import { figuresWith, rememberingCounter, type CountFigures } from '../../../codegen/costs/figures.ts';
import { formatDiagnostic } from '../../../codegen/load/diagnostics.ts';
import type { DocumentMemory } from '../../../codegen/load/read-documents.ts';
import { loadModel, loadModelOf, type LoadedModel } from '../../../codegen/model/load-model.ts';
import type { TokenCounter } from '../../../codegen/tokens/count.ts';
import type { Diagnostic } from '../../../codegen/model/diagnostic.ts';
import type { ContractModel } from '../../../codegen/model/types.ts';

const BASE = new URL('../fixtures/base/', import.meta.url);

/** Takes a member away instead of setting it. */
export const DELETE = '(delete)';

/** Text of each file by its path. */
export type Files = Map<string, string | Uint8Array>;

/** `list_notes:/input/properties/limit` to the value that shall stand there; `models/x:` to a whole file. */
export type Edits = Readonly<Record<string, unknown>>;

export interface Result {
  readonly model: ContractModel | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The diagnostics as they are printed. */
  readonly lines: readonly string[];
}

/** A small valid contract tree with one file of every kind. */
export function baseTree(): Files {
  const files: Files = new Map();
  for (const entry of readdirSync(BASE, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const file = path.slice(BASE.pathname.length);
    files.set(file, readFileSync(path, 'utf8'));
  }
  return files;
}

function fileOf(files: Files, alias: string): string {
  if (alias.endsWith('.json')) return alias;
  const found = [...files.keys()].filter((file) => file === `${alias}.yaml` || file.endsWith(`/${alias}.yaml`));
  if (found.length > 1) throw new Error(`${alias} names ${found.join(' and ')}`);
  return found[0] ?? `${alias}.yaml`;
}

function setIn(target: unknown, path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return structuredClone(value);
  if (Array.isArray(target)) {
    const items: unknown[] = [...(target as unknown[])];
    items[step === '-' ? items.length : Number(step)] = setIn(items[Number(step)], rest, value);
    return items;
  }
  const object: Record<string, unknown> = { ...(target as Record<string, unknown> | undefined) };
  if (rest.length === 0 && value === DELETE) delete object[step];
  else object[step] = setIn(object[step], rest, value);
  return object;
}

/** The base tree with members set, added or taken away. */
export function edited(edits: Edits, files: Files = baseTree()): Files {
  for (const [place, value] of Object.entries(edits)) {
    const colon = place.indexOf(':');
    const file = fileOf(files, place.slice(0, colon));
    const pointer = place.slice(colon + 1);
    if (pointer === '' && value === DELETE) {
      files.delete(file);
      continue;
    }
    if (pointer === '' && typeof value === 'string') {
      files.set(file, value);
      continue;
    }
    const path = pointer
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/'));
    const before: unknown = parse(String(files.get(file) ?? '{}'));
    files.set(file, stringify(setIn(before, path, value), { lineWidth: 0 }));
  }
  return files;
}

/** Writes the files to a folder of their own for as long as `use` runs. */
export async function withTree<T>(files: Files, use: (root: string) => Promise<T> | T): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'contract-tree-'));
  try {
    for (const [file, text] of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return await use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

let counter: TokenCounter | undefined;
const count = (): TokenCounter => (counter ??= rememberingCounter());
/** Most files of most trees are those of the base tree. */
const memory: DocumentMemory = new Map();

function told(loaded: LoadedModel, figures: CountFigures): Result {
  const { parts, diagnostics } = judgeLoaded(loaded, { figures });
  return { model: parts?.model, diagnostics, lines: diagnostics.map(formatDiagnostic) };
}

/** Loads and lints a folder. */
export async function lintFolder(root: string): Promise<Result> {
  return told(
    await loadModel(root),
    figuresWith(count, (counting) => lastBaseline(root, counting)),
  );
}

export function lint(files: Files): Promise<Result> {
  return withTree(files, lintFolder);
}

/** Lints a tree without writing it down; a file under `releases/` is the last release. */
export async function lintHeld(files: Files): Promise<Result> {
  const contents = new Map([...files].map(([file, text]) => [file, Buffer.from(text)]));
  const release = [...files].find(([file]) => file.startsWith('releases/'));
  return told(
    await loadModelOf(contents, memory),
    figuresWith(count, (counting) =>
      release === undefined
        ? undefined
        : baselineOf(readSnapshot(String(release[1]), release[0]).surface, '1.0.0', counting),
    ),
  );
}

/** The diagnostics of a tool whose input or output is replaced by `schema`. */
export function lintBody(side: 'input' | 'output', schema: unknown): Promise<Result> {
  const rest = side === 'input' ? { 'create_note:/examples': [{ name: 'is tried', input: {} }] } : {};
  return lint(edited({ [`create_note:/${side}`]: schema, ...rest }));
}
