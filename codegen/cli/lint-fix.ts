/** `lint --fix`: writes every exact fix into the contracts, or shows what it would write. */
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fixTree, type FixedTree, type Mended } from '../fix/fix-tree.ts';
import type { DocumentMemory } from '../load/read-documents.ts';
import { loadModelOf } from '../model/load-model.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { lineDiff } from '../report/line-diff.ts';
import { judgeLoaded } from './compile-tree.ts';
import type { Io } from './io.ts';
import { palette } from './io.ts';
import type { Options } from './options.ts';
import { plural } from './report.ts';

/** Budgets have no fix, so nothing is counted here. */
export function fixTexts(texts: ReadonlyMap<string, string>, today: string): Promise<FixedTree> {
  const memory: DocumentMemory = new Map();
  const encoder = new TextEncoder();
  return fixTree(texts, async (now) => {
    const contents = new Map([...now].map(([file, text]) => [file, encoder.encode(text)]));
    return judgeLoaded(await loadModelOf(contents, memory), { today }).diagnostics;
  });
}

/** Writes the mended files and says what was done; with `--dry-run` it prints the changes instead. */
export function writeFixes({ files, fixed }: FixedTree, options: Options, io: Io): void {
  const folder = relative(io.cwd, options.schemas) || '.';
  for (const mended of files) {
    if (options.dryRun) io.err(changeOf(mended, folder, io));
    else writeFileSync(join(options.schemas, mended.file), mended.after);
  }
  const { green, dim } = palette(io.color);
  const done = options.dryRun ? 'would fix' : 'fixed';
  for (const one of fixed) io.err(`${dim(`${done} ${sayFix(one, folder)}`)}\n`);
  const sum = `${plural(fixed.length, 'finding')} in ${plural(files.length, 'file')}`;
  io.err(`${files.length === 0 ? dim('Nothing to fix.') : green(`${done} ${sum}.`)}\n`);
}

function sayFix({ position, rule, fix }: Diagnostic, folder: string): string {
  return `${join(folder, position.file)}:${position.line}:${position.column} ${rule}: ${fix?.title ?? ''}`;
}

const AROUND = 2;

/** The changed lines with a few around them. */
function changeOf({ file, before, after }: Mended, folder: string, io: Io): string {
  const { red, green, dim } = palette(io.color);
  const lines = lineDiff(before.split('\n'), after.split('\n'));
  const near = new Set(
    lines.flatMap(({ kind }, index) =>
      kind === 'same' ? [] : Array.from({ length: 2 * AROUND + 1 }, (_, step) => index + step - AROUND),
    ),
  );
  let text = `--- ${join(folder, file)}\n+++ ${join(folder, file)}\n`;
  let last = -1;
  for (const [index, line] of lines.entries()) {
    if (!near.has(index)) continue;
    if (last !== index - 1) text += dim('…\n');
    last = index;
    if (line.kind === 'same') text += ` ${line.text}\n`;
    else text += line.kind === 'gone' ? `${red(`-${line.text}`)}\n` : `${green(`+${line.text}`)}\n`;
  }
  return text;
}
