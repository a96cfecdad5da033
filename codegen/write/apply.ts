/** Carries out a plan. A reader of the folder sees each file either as it was or as it will be. */
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plan } from './plan.ts';

export function applyPlan(out: string, plan: Plan, files: ReadonlyMap<string, string>): void {
  for (const path of [...plan.create, ...plan.update]) writeAtomic(join(out, path), files.get(path) ?? '');
  for (const path of plan.remove) {
    rmSync(join(out, path));
    removeEmptyFolders(out, dirname(path));
  }
}

/** Writes beside the target and renames, so that a stop in the middle leaves no half file under the real name. */
export function writeAtomic(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.draft`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function removeEmptyFolders(out: string, folder: string): void {
  if (folder === '.' || readdirSync(join(out, folder)).length > 0) return;
  rmdirSync(join(out, folder));
  removeEmptyFolders(out, dirname(folder));
}
