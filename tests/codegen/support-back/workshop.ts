/** Compiles contract trees of a test and lets the TypeScript compiler judge what comes out. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalModel } from '../../../codegen/canonical/index.ts';
import type { CanonicalModel } from '../../../codegen/canonical/index.ts';
import { formatDiagnostic } from '../../../codegen/load/diagnostics.ts';
import { emitAll } from '../../../codegen/emit/index.ts';
import { loadModel } from '../../../codegen/model/load-model.ts';
import { projectModel } from '../../../codegen/project/index.ts';
import type { Projection } from '../../../codegen/project/index.ts';
import { edited, withTree } from '../support/contract-tree.ts';
import type { Edits, Files } from '../support/contract-tree.ts';

export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const TSC = join(REPOSITORY, 'node_modules/typescript/bin/tsc');

export interface Compiled {
  readonly canonical: CanonicalModel;
  readonly projection: Projection;
  /** Findings of everything but the lint rules, as printed. */
  readonly lines: readonly string[];
}

/** Compiles a tree as `generate` does, leaving out the lint rules: the cases of a compiler need not be good contracts. */
export function compileTree(files: Files): Promise<Compiled> {
  return withTree(files, async (root) => {
    const { model, diagnostics } = await loadModel(root);
    if (model === undefined) throw new Error(diagnostics.map(formatDiagnostic).join('\n'));
    const canonical = canonicalModel(model);
    const projection = projectModel(canonical);
    const all = [...diagnostics, ...canonical.diagnostics, ...projection.diagnostics];
    return { canonical, projection, lines: all.map(formatDiagnostic) };
  });
}

export async function emitTree(files: Files): Promise<ReadonlyMap<string, string>> {
  const compiled = await compileTree(files);
  if (compiled.lines.length > 0) throw new Error(compiled.lines.join('\n'));
  return emitAll(compiled);
}

type Schema = Readonly<Record<string, unknown>>;

const BEHAVIOUR = {
  read_only: true,
  destructive: false,
  idempotent: true,
  open_world: false,
  scopes: ['notes:read'],
  cost_class: 'free',
  async_mode: 'sync',
  idempotency: 'natural',
  timeout_seconds: 5,
};

export interface Bodies {
  readonly input?: Schema;
  readonly output?: Schema;
  readonly description?: string;
  readonly example?: unknown;
}

/** The base tree with one more tool per entry. */
export function withTools(tools: Readonly<Record<string, Bodies>>, more: Edits = {}): Files {
  const edits: Record<string, unknown> = { ...more };
  for (const [name, { input, output, description, example }] of Object.entries(tools)) {
    // A copy without shared parts: those would be written as YAML aliases.
    edits[`tools/notes/${name}:`] = withoutSharing({
      kind: 'tool',
      name,
      title: `Tool ${name}`,
      description: description ?? 'A tool that stands for one case of the compiler and is never called by anybody.',
      behaviour: BEHAVIOUR,
      project: 'none',
      ...(input === undefined ? { no_arguments: true } : { input }),
      output: output ?? { required: ['ok'], properties: { ok: { type: 'boolean' } } },
      examples: [{ name: 'is tried', input: example ?? {} }],
    });
  }
  return edited(edits);
}

function withoutSharing(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A folder of its own that is an ESM package and in which nothing of the repository can be resolved. */
export function workFolder(files: ReadonlyMap<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'compiled-'));
  for (const [path, text] of [...files, ['package.json', '{ "type": "module" }'] as const]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

export interface TypeFault {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

const STRICT = {
  target: 'es2023',
  lib: ['es2023'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  // The typed client speaks through what Node has of the web: fetch, URL, Headers.
  types: ['node'],
  typeRoots: [join(REPOSITORY, 'node_modules/@types')],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  rewriteRelativeImportExtensions: true,
  resolveJsonModule: true,
  skipLibCheck: true,
};

/** Compiles the folder in one run; `out` also writes JavaScript there. Generated tests are left out. */
export function typecheck(folder: string, out?: string): readonly TypeFault[] {
  const emit = out === undefined ? { noEmit: true } : { outDir: out, rootDir: '.' };
  const config = {
    compilerOptions: { ...STRICT, ...emit },
    include: ['**/*.ts'],
    exclude: ['generated/tests', ...(out === undefined ? [] : [out])],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  return runTsc(folder, ['-p', 'tsconfig.json']);
}

/** What the compiler says, line by line; an empty list when it is content. */
export function runTsc(folder: string, args: readonly string[]): readonly TypeFault[] {
  let text = '';
  try {
    execFileSync(process.execPath, [TSC, ...args, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    text = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    if (text === '') throw error;
  }
  return text.split('\n').flatMap((line) => {
    const match = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/u.exec(line);
    return match === null
      ? []
      : [{ file: match[1] ?? '', line: Number(match[2]), code: match[3] ?? '', message: match[4] ?? '' }];
  });
}
