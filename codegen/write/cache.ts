/**
 * Remembers slow steps by the digest of everything they depend on, the compiler's own source included. Losing the
 * cache costs time and nothing else: a damaged or foreign file is ignored.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAtomic } from './apply.ts';
import { listFiles, readText } from './tree-files.ts';

/** What one run over one tree gave. */
export interface Outcome {
  /** SHA-256 of each generated file by path. */
  readonly files: Readonly<Record<string, string>>;
  /** What the run printed besides the files. */
  readonly report: unknown;
}

interface Stored {
  readonly tree: string;
  readonly outcome: Outcome | null;
  readonly pieces: Readonly<Record<string, unknown>>;
}

export class Cache {
  readonly #path: string | undefined;
  readonly #fingerprint: string;
  readonly #old: Stored;
  readonly #used = new Map<string, unknown>();
  #outcome: { readonly tree: string; readonly outcome: Outcome } | undefined;

  /** `folder` undefined: remember nothing. One file per contract folder, so two trees do not push each other out. */
  constructor(folder: string | undefined, schemas: string) {
    this.#fingerprint = folder === undefined ? '' : compilerFingerprint();
    this.#path = folder === undefined ? undefined : join(folder, `${sha256(resolve(schemas)).slice(0, 16)}.json`);
    this.#old = this.#path === undefined ? empty() : load(this.#path, this.#fingerprint);
  }

  /** The outcome of a run over exactly these contract texts. */
  outcomeOf(texts: ReadonlyMap<string, string>): Outcome | undefined {
    return this.#path !== undefined && this.#old.outcome !== null && this.#old.tree === digestOf(texts)
      ? this.#old.outcome
      : undefined;
  }

  keepOutcome(texts: ReadonlyMap<string, string>, outcome: Outcome): void {
    this.#outcome = { tree: digestOf(texts), outcome };
  }

  piece(key: string): unknown {
    const value = this.#used.get(key) ?? this.#old.pieces[key];
    if (value !== undefined) this.#used.set(key, value);
    return value;
  }

  keepPiece(key: string, value: unknown): void {
    this.#used.set(key, value);
  }

  /** Writes what this run used or made; pieces nothing asked for are dropped. */
  save(): void {
    if (this.#path === undefined) return;
    const kept = this.#outcome ?? { tree: this.#old.tree, outcome: this.#old.outcome };
    const stored = { fingerprint: this.#fingerprint, ...kept, pieces: Object.fromEntries(this.#used) };
    try {
      writeAtomic(this.#path, JSON.stringify(stored));
    } catch {
      // A read-only or full disk must not fail a build that has already succeeded.
    }
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function digestOf(texts: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const [path, text] of texts) hash.update(path).update('\0').update(text).update('\0');
  return hash.digest('hex');
}

const empty = (): Stored => ({ tree: '', outcome: null, pieces: {} });

function load(path: string, fingerprint: string): Stored {
  try {
    // because the fingerprint proves that this version of the compiler wrote the file
    const stored = JSON.parse(readText(path) ?? 'null') as (Stored & { readonly fingerprint: string }) | null;
    return stored !== null && stored.fingerprint === fingerprint ? stored : empty();
  } catch {
    return empty();
  }
}

/** Digest over the compiler's own files: a changed emitter forgets everything. */
function compilerFingerprint(): string {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const hash = createHash('sha256');
  for (const path of listFiles(root)) {
    if (/\.(?:ts|js|hbs|json)$/u.test(path)) hash.update(path).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}
