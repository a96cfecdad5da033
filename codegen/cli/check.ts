import { join, relative } from 'node:path';
import { Cache } from '../write/cache.ts';
import { explainPlan } from '../write/explain.ts';
import { planWrites } from '../write/plan.ts';
import { unchangedSince } from './generate.ts';
import type { ExitCode, Io } from './io.ts';
import { palette } from './io.ts';
import type { Options } from './options.ts';
import { plural, printDiagnostics, printJson } from './report.ts';

/** Compares the output folder with what the contracts make, and explains each difference. Writes nothing there. */
export async function check(options: Options, io: Io): Promise<ExitCode> {
  const folder = relative(io.cwd, options.out) || '.';
  const cache = new Cache(options.cacheDir, options.schemas);
  const fine = (): ExitCode => {
    if (options.json) printJson({ ok: true, differences: [] }, io);
    else io.out(`${palette(io.color).green(`${folder} is what the contracts make`)}\n`);
    return 0;
  };
  if (unchangedSince(cache, options) !== undefined) return fine();
  const { checkTree, hasErrors } = await import('./compile-tree.ts');
  const { diagnostics, parts } = await checkTree(options.schemas);
  if (parts === undefined || hasErrors(diagnostics)) {
    if (options.json) printJson({ ok: false, diagnostics, differences: [] }, io);
    else printDiagnostics(diagnostics, options.schemas, io);
    return 1;
  }
  const { emitTree } = await import('./emit-tree.ts');
  const files = await emitTree(parts, cache);
  const differences = explainPlan(options.out, planWrites(options.out, files), files);
  if (differences.length === 0) return fine();
  if (options.json) {
    printJson({ ok: false, diagnostics, differences }, io);
    return 1;
  }
  for (const { path, message } of differences) io.err(`${join(folder, path)} ${message}.\n`);
  io.err(`${plural(differences.length, 'file')} differ; run "make generate" and commit the result.\n`);
  return 1;
}
