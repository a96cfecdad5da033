/** Compares what the compiler made with what stands in the output folder. Reads, never writes. */
import { join } from 'node:path';
import { readBanner } from '../emit/banner.ts';
import { listFiles, readText } from './tree-files.ts';

export interface Plan {
  readonly create: readonly string[];
  readonly update: readonly string[];
  /** Files with the banner that no contract makes any more. */
  readonly remove: readonly string[];
  readonly unchanged: readonly string[];
  /** Files that stand where a generated one belongs and were not generated. */
  readonly blocked: readonly string[];
}

/** `files` are all texts by path relative to `out`. */
export function planWrites(out: string, files: ReadonlyMap<string, string>): Plan {
  const plan = {
    create: [] as string[],
    update: [] as string[],
    remove: [] as string[],
    unchanged: [] as string[],
    blocked: [] as string[],
  };
  const present = new Set(listFiles(out));
  for (const [path, text] of files) {
    const old = present.has(path) ? readText(join(out, path)) : undefined;
    if (old === undefined) plan.create.push(path);
    else if (old === text) plan.unchanged.push(path);
    else if (readBanner(path, old) === undefined) plan.blocked.push(path);
    else plan.update.push(path);
  }
  for (const path of present) {
    if (!files.has(path) && readBanner(path, readText(join(out, path)) ?? '') !== undefined) plan.remove.push(path);
  }
  return plan;
}
