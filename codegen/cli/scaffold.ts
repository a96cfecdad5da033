import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { scaffoldTests } from '../emit/tests/scaffold.ts';
import { writeAtomic } from '../write/apply.ts';
import { checkTree, hasErrors } from './compile-tree.ts';
import type { ExitCode, Io } from './io.ts';
import type { Options } from './options.ts';
import { plural, printDiagnostics, printJson } from './report.ts';

/** Writes the tool tests that do not exist yet. A file that exists is somebody's work and stays as it is. */
export async function scaffold(options: Options, io: Io): Promise<ExitCode> {
  const { diagnostics, parts } = await checkTree(options.schemas);
  if (parts === undefined || hasErrors(diagnostics)) {
    if (options.json) printJson({ ok: false, diagnostics, written: [] }, io);
    else printDiagnostics(diagnostics, options.schemas, io);
    return 1;
  }
  const written: string[] = [];
  for (const [path, text] of scaffoldTests(parts.model)) {
    const target = join(options.tests, path);
    if (existsSync(target)) continue;
    writeAtomic(target, text);
    written.push(relative(io.cwd, target));
  }
  if (options.json) printJson({ ok: true, written }, io);
  else io.out(`${plural(written.length, 'test file')} written\n${written.map((path) => `  ${path}\n`).join('')}`);
  return 0;
}
