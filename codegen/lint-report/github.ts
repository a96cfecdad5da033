import { clip, oneLine, plural } from '../report/text.ts';
import { fileOf, sentenceOf } from './findings.ts';
import type { LintRun } from './findings.ts';

const COMMANDS = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** For the log of a GitHub job: workflow commands that become annotations on the files. */
export function githubLint({ diagnostics, suppressed, root }: LintRun): string {
  const lines = diagnostics.map((one) => {
    const { line, column } = one.position;
    const place = `file=${property(fileOf(one, root))},line=${line},col=${column}`;
    return `::${COMMANDS[one.level]} ${place},title=${property(one.rule)}::${data(sentenceOf(one))}`;
  });
  const counts = `${plural(diagnostics.length, 'finding')}, ${suppressed.length} suppressed`;
  return `${[...lines, `::notice title=Contract lint::${data(counts)}`].join('\n')}\n`;
}

function data(text: string): string {
  return clip(oneLine(text), 4000).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
