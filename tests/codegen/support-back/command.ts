/** Runs the command line in this process or in one of its own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCli } from '../../../codegen/cli/run.ts';
import { baseTree } from '../support/contract-tree.ts';
import type { Files } from '../support/contract-tree.ts';
import { removeFolder, REPOSITORY } from './workshop.ts';

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command as the entry does, with `cwd` as its folder. */
export async function run(cwd: string, ...argv: readonly string[]): Promise<Answer> {
  let out = '';
  let err = '';
  const code = await runCli(argv, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    color: false,
    cwd,
    onStop: () => undefined,
  });
  return { code, out, err };
}

/** Runs a command in a process of its own. */
export function spawn(cwd: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Answer {
  const tsx = join(REPOSITORY, 'node_modules/tsx/dist/esm/index.mjs');
  const result = spawnSync(
    process.execPath,
    ['--import', `file://${tsx}`, join(REPOSITORY, 'codegen/main.ts'), ...argv],
    {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', ...env },
    },
  );
  return { code: result.status ?? -1, out: result.stdout, err: result.stderr };
}

/** A project folder with contracts under `schemas/`, for as long as `use` runs. */
export async function inProject<T>(use: (folder: string) => Promise<T> | T, files: Files = baseTree()): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'contract-project-'));
  try {
    writeTree(join(folder, 'schemas'), files);
    return await use(folder);
  } finally {
    removeFolder(folder);
  }
}

export function writeTree(root: string, files: Files): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
