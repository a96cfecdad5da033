import { relative } from 'node:path';
import type { LintRun } from '../lint-report/findings.ts';
import { RULES } from '../rules/index.ts';
import { checkTree, hasErrors } from './compile-tree.ts';
import type { Checked } from './compile-tree.ts';
import type { ExitCode, Io } from './io.ts';
import { BadInput, palette } from './io.ts';
import type { Options } from './options.ts';
import { countLine, plural, printDiagnostics, printJson } from './report.ts';

/** Checks the contracts alone. Warnings are told and fail only beyond `--max-warnings`. */
export async function lint(options: Options, io: Io): Promise<ExitCode> {
  if (options.rules) {
    const { listRules } = await import('./lint-rules.ts');
    return listRules(
      { json: options.json, ...(options.fixtures === undefined ? {} : { fixtures: options.fixtures }) },
      io,
    );
  }
  if (options.dryRun && !options.fix) throw new BadInput('--dry-run goes with --fix.');
  const today = (io.now?.() ?? new Date()).toISOString().slice(0, 10);
  let checked = await checkTree(options.schemas, { today, budgets: true, ...options.remembered });
  if (options.fix) {
    const { fixTexts, writeFixes } = await import('./lint-fix.ts');
    const tree = await fixTexts(checked.texts, today);
    writeFixes(tree, options, io);
    if (!options.dryRun && tree.files.length > 0)
      checked = await checkTree(options.schemas, { today, budgets: true, ...options.remembered });
  }
  await tell(checked, options, io);
  return failed(checked, options, io) ? 1 : 0;
}

function failed({ diagnostics }: Checked, { maxWarnings }: Options, io: Io): boolean {
  const warnings = diagnostics.filter(({ level }) => level === 'warning').length;
  if (warnings > maxWarnings) io.err(`${plural(warnings, 'warning')}, and --max-warnings allows ${maxWarnings}.\n`);
  return hasErrors(diagnostics) || warnings > maxWarnings;
}

async function tell(checked: Checked, options: Options, io: Io): Promise<void> {
  const { diagnostics, suppressed, losses, texts } = checked;
  const ok = !hasErrors(diagnostics);
  const run: LintRun = { diagnostics, suppressed, rules: RULES, root: relative(io.cwd, options.schemas) };
  switch (options.format) {
    case 'json':
      printJson(
        {
          ok,
          files: texts.size,
          diagnostics,
          suppressed: suppressed.map(({ diagnostic, suppression }) => ({
            ...diagnostic,
            reason: suppression.reason,
            ...(suppression.until === undefined ? {} : { until: suppression.until }),
          })),
          losses,
        },
        io,
      );
      return;
    case 'sarif':
      io.out((await import('../lint-report/sarif.ts')).sarifLint(run));
      return;
    case 'junit':
      io.out((await import('../lint-report/junit.ts')).junitLint(run));
      return;
    case 'github':
      io.out((await import('../lint-report/github.ts')).githubLint(run));
      return;
    case 'text': {
      printDiagnostics(diagnostics, options.schemas, io);
      const { green, red } = palette(io.color);
      const answered = suppressed.length === 0 ? '' : `, ${suppressed.length} suppressed with a reason`;
      const line = `${plural(texts.size, 'contract file')}: ${countLine(diagnostics)}${answered}`;
      io.out(`${ok ? green(line) : red(line)}\n`);
    }
  }
}
