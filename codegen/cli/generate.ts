import { join, relative } from 'node:path';
import { readTree } from '../load/read-tree.ts';
import { applyPlan } from '../write/apply.ts';
import { Cache, sha256 } from '../write/cache.ts';
import type { Outcome } from '../write/cache.ts';
import { planWrites } from '../write/plan.ts';
import type { Plan } from '../write/plan.ts';
import { readBanner } from '../emit/banner.ts';
import { listFiles, readText } from '../write/tree-files.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Loss } from '../project/loss.ts';
import type { ExitCode, Io } from './io.ts';
import { palette } from './io.ts';
import type { Options } from './options.ts';
import { plural, printDiagnostics, printJson, printLosses } from './report.ts';

interface Report {
  readonly diagnostics: readonly Diagnostic[];
  readonly losses: readonly Loss[];
}

/** Writes the output folder. Nothing is written when any contract is invalid. */
export async function generate(options: Options, io: Io): Promise<ExitCode> {
  const cache = new Cache(options.cacheDir, options.schemas);
  const known = unchangedSince(cache, options);
  if (known !== undefined)
    return finish(options, io, known, {
      create: [],
      update: [],
      remove: [],
      blocked: [],
      unchanged: listFiles(options.out),
    });
  const { checkTree, hasErrors } = await import('./compile-tree.ts');
  const { diagnostics, losses, parts, texts } = await checkTree(options.schemas);
  const report = { diagnostics, losses };
  if (parts === undefined || hasErrors(diagnostics)) return refuse(options, io, report);
  const { emitTree } = await import('./emit-tree.ts');
  const files = await emitTree(parts, cache);
  const plan = planWrites(options.out, files);
  if (plan.blocked.length > 0) return block(options, io, plan);
  applyPlan(options.out, plan, files);
  cache.keepOutcome(texts, {
    files: Object.fromEntries([...files].map(([path, text]) => [path, sha256(text)])),
    report,
  });
  cache.save();
  return finish(options, io, report, plan);
}

/** The report of the last run, when neither the contracts nor the output have changed since. */
export function unchangedSince(cache: Cache, options: Options): Report | undefined {
  const tree = readTree(options.schemas);
  if (tree.diagnostics.length > 0) return undefined;
  const outcome = cache.outcomeOf(new Map(tree.files.map(({ file, text }) => [file, text])));
  if (outcome === undefined || !matches(options.out, outcome)) return undefined;
  // because only `generate` keeps outcomes, and it keeps its report
  return outcome.report as Report;
}

function matches(out: string, { files }: Outcome): boolean {
  const present = listFiles(out);
  let found = 0;
  for (const path of present) {
    const expected = files[path];
    const text = readText(join(out, path)) ?? '';
    if (expected === undefined) {
      if (readBanner(path, text) !== undefined) return false;
    } else if (sha256(text) === expected) {
      found += 1;
    } else {
      return false;
    }
  }
  return found === Object.keys(files).length;
}

function refuse(options: Options, io: Io, { diagnostics, losses }: Report): ExitCode {
  if (options.json) printJson({ ok: false, diagnostics, losses, written: [], removed: [] }, io);
  else {
    printDiagnostics(diagnostics, options.schemas, io);
    io.err('Nothing was written.\n');
  }
  return 1;
}

function block(options: Options, io: Io, { blocked }: Plan): ExitCode {
  if (options.json) printJson({ ok: false, blocked, written: [], removed: [] }, io);
  for (const path of blocked)
    io.err(
      `${relative(io.cwd, join(options.out, path))} was not generated and stands in the place of a generated file; move it elsewhere.\n`,
    );
  io.err('Nothing was written.\n');
  return 1;
}

function finish(options: Options, io: Io, { diagnostics, losses }: Report, plan: Plan): ExitCode {
  const written = [...plan.create, ...plan.update].sort();
  if (options.json) {
    printJson({ ok: true, diagnostics, losses, written, removed: plan.remove, unchanged: plan.unchanged.length }, io);
    return 0;
  }
  printDiagnostics(diagnostics, options.schemas, io);
  printLosses(losses, io);
  const { green } = palette(io.color);
  const folder = relative(io.cwd, options.out) || '.';
  io.out(
    `${green(`${folder}: ${plural(written.length, 'file')} written, ${plan.remove.length} removed, ${plan.unchanged.length} unchanged`)}\n`,
  );
  return 0;
}
