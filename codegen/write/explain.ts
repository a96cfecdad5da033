/** Says why the output folder is not what the contracts make. */
import { join } from 'node:path';
import { readBanner } from '../emit/banner.ts';
import type { Plan } from './plan.ts';
import { readText } from './tree-files.ts';

export interface Difference {
  readonly path: string;
  readonly kind: 'edited' | 'stale' | 'missing' | 'orphan' | 'foreign';
  /** Contract file or folder the generated file comes from. */
  readonly source?: string;
  readonly message: string;
}

export function explainPlan(out: string, plan: Plan, files: ReadonlyMap<string, string>): readonly Difference[] {
  const changed = changedSources(out, plan, files);
  const differences: Difference[] = [
    ...plan.create.map((path): Difference => {
      const source = sourceOf(path, files.get(path) ?? '');
      return { path, kind: 'missing', source, message: `is missing; ${source} makes it` };
    }),
    ...plan.update.map((path) => explainUpdate(path, readText(join(out, path)) ?? '', changed)),
    ...plan.remove.map((path): Difference => {
      const source = sourceOf(path, readText(join(out, path)) ?? '');
      return { path, kind: 'orphan', source, message: `is left over; nothing in ${source} makes it any more` };
    }),
    ...plan.blocked.map((path): Difference => ({
      path,
      kind: 'foreign',
      message: 'was not generated and stands in the place of a generated file; move it elsewhere',
    })),
  ];
  return differences.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function explainUpdate(path: string, old: string, changed: readonly string[]): Difference {
  const banner = readBanner(path, old);
  const source = banner?.source ?? '';
  if (banner?.untouched === false) {
    return { path, kind: 'edited', source, message: `was edited by hand; change ${source} or the emitter instead` };
  }
  if (!source.endsWith('/'))
    return { path, kind: 'stale', source, message: `is stale: ${source} has changed, or something it refers to` };
  const reason = changed.length === 0 ? 'the contracts or the compiler have changed' : `${changed.join(', ')} changed`;
  return { path, kind: 'stale', source, message: `is stale: ${reason}` };
}

/** Contract files whose own generated files are out of date: they explain the files made from the whole tree. */
function changedSources(out: string, plan: Plan, files: ReadonlyMap<string, string>): readonly string[] {
  const sources = new Set<string>();
  for (const path of plan.update) {
    const banner = readBanner(path, readText(join(out, path)) ?? '');
    if (banner?.untouched === true && !banner.source.endsWith('/')) sources.add(banner.source);
  }
  for (const path of plan.create) sources.add(sourceOf(path, files.get(path) ?? ''));
  for (const path of plan.remove) sources.add(sourceOf(path, readText(join(out, path)) ?? ''));
  return [...sources].filter((source) => !source.endsWith('/')).sort();
}

function sourceOf(path: string, text: string): string {
  return readBanner(path, text)?.source ?? 'schemas/';
}
