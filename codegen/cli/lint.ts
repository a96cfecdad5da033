import { checkTree, hasErrors } from './compile-tree.ts';
import type { ExitCode, Io } from './io.ts';
import { palette } from './io.ts';
import type { Options } from './options.ts';
import { countLine, plural, printDiagnostics, printJson } from './report.ts';

/** Checks the contracts alone. Warnings are told and do not fail. */
export async function lint(options: Options, io: Io): Promise<ExitCode> {
  const { diagnostics, losses, texts } = await checkTree(options.schemas);
  const failed = hasErrors(diagnostics);
  if (options.json) {
    printJson({ ok: !failed, files: texts.size, diagnostics, losses }, io);
    return failed ? 1 : 0;
  }
  printDiagnostics(diagnostics, options.schemas, io);
  const { green, red } = palette(io.color);
  const line = `${plural(texts.size, 'contract file')}: ${countLine(diagnostics)}`;
  io.out(`${failed ? red(line) : green(line)}\n`);
  return failed ? 1 : 0;
}
