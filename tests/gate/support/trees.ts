import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadedOf } from '../../../codegen/baseline/sources.ts';
import { diff, type DiffOptions } from '../../../codegen/diff/diff.ts';
import type { DiffReport, Finding } from '../../../codegen/diff/finding.ts';
import { digestOf, type LoadedSurface } from '../../../codegen/diff/loaded.ts';
import type { Surface } from '../../../codegen/diff/surface/types.ts';
import { formatDiagnostic } from '../../../codegen/load/diagnostics.ts';
import { loadModelOf } from '../../../codegen/model/load-model.ts';
import { edited, type Edits, type Files } from '../../codegen/support/contract-tree.ts';

export const TODAY = '2026-11-30';

/** The contracts of this repository. */
export function realTree(): Files {
  const files: Files = new Map();
  for (const entry of readdirSync('schemas', { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || /^schemas\/(?:meta|releases)\//u.test(path)) continue;
    files.set(path.slice('schemas/'.length), readFileSync(path, 'utf8'));
  }
  return files;
}

export async function surfaceOf(files: Files, label: string): Promise<LoadedSurface> {
  const bytes = new Map([...files].map(([file, text]) => [file, typeof text === 'string' ? Buffer.from(text) : text]));
  const { model, diagnostics } = await loadModelOf(bytes);
  assert.ok(model !== undefined, diagnostics.map(formatDiagnostic).join('\n'));
  return loadedOf(model, label);
}

export function loaded(surface: Surface, label: string): LoadedSurface {
  return { label, surface, digest: digestOf(surface), changes: [] };
}

/** What the gate says of edits to the small tree of the compiler tests. */
export async function judge(before: Edits, after: Edits, options: Partial<DiffOptions> = {}): Promise<DiffReport> {
  return judgeTrees(edited(before), edited(after, edited(before)), options);
}

export async function judgeTrees(before: Files, after: Files, options: Partial<DiffOptions> = {}): Promise<DiffReport> {
  const ends = [await surfaceOf(before, 'before'), await surfaceOf(after, 'after')] as const;
  return diff(ends[0], ends[1], { today: TODAY, rules: 'source', ...options });
}

/** `verdict rule entity`, for comparison at a glance. */
export function line({ verdict, rule, entity }: Finding): string {
  return `${verdict} ${rule} ${entity}`;
}
