import type { DiffReport, Finding } from '../diff/finding.ts';
import type { Verdict } from '../diff/rules/rule.ts';
import {
  approved,
  countsSentence,
  open,
  outcomeSentence,
  placeOf,
  tokensSentence,
  versionSentence,
  viewsSentence,
  witnessSentence,
} from './reading.ts';
import type { RenderOptions } from './options.ts';
import { brief, oneLine } from './text.ts';

const PAINT: Readonly<Record<Verdict, number>> = { breaking: 31, risky: 33, unknown: 35, notice: 36, safe: 32 };

/** For people at a terminal: one block per finding, every line short and harmless. */
export function terminalReport(report: DiffReport, { color, root }: RenderOptions): string {
  const paint = (code: number, text: string): string => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const lines = [
    `${paint(1, oneLine(report.before.label))} to ${paint(1, oneLine(report.after.label))}: ${countsSentence(report)}`,
    '',
  ];
  for (const finding of open(report)) lines.push(...block(finding, { paint, root }), '');
  for (const finding of approved(report)) {
    const by = finding.approved;
    lines.push(
      `${paint(2, `approved ${finding.rule}`)} ${oneLine(finding.entity)}${pointer(finding)} (${oneLine(by?.change ?? '')}, ${oneLine(by?.owner ?? '')})`,
    );
  }
  if (report.approved > 0) lines.push('');
  lines.push(oneLine(versionSentence(report)), tokensSentence(report));
  lines.push(paint(report.failed ? 31 : 32, outcomeSentence(report)));
  return `${lines.join('\n')}\n`;
}

interface Ink {
  readonly paint: (code: number, text: string) => string;
  readonly root: string;
}

function block(finding: Finding, { paint, root }: Ink): string[] {
  const place = placeOf(finding, root);
  const marks = [
    ...(finding.security ? [paint(31, 'security')] : []),
    ...(finding.cacheLag ? [paint(36, 'cache lag')] : []),
  ];
  const head = [paint(PAINT[finding.verdict], finding.verdict), finding.rule, ...marks].join(' ');
  const witness = witnessSentence(finding);
  const views = viewsSentence(finding);
  const detail = [
    oneLine(finding.message),
    ...change(finding),
    ...(witness === undefined || finding.witness === undefined ? [] : [`${witness}: ${brief(finding.witness.value)}`]),
    ...(finding.unknown === undefined
      ? []
      : [
          `Not decided: ${oneLine(finding.unknown.keyword)} at ${oneLine(finding.unknown.path)}: ${oneLine(finding.unknown.reason)}`,
        ]),
    ...(finding.renamedTo === undefined ? [] : [`Looks like it is now ${oneLine(finding.renamedTo)}.`]),
    ...(finding.uses.length === 0 ? [] : [`Used by: ${oneLine(finding.uses.join('; '))}`]),
    ...(views === undefined ? [] : [oneLine(views)]),
    ...(finding.baseline === undefined ? [] : [`Breaks release ${oneLine(finding.baseline)}.`]),
    `Do: ${oneLine(finding.migration)}`,
    paint(2, `fingerprint ${finding.fingerprint}`),
  ];
  const where = place === undefined ? '' : ` ${paint(2, `${oneLine(place.file)}:${place.line}:${place.column}`)}`;
  return [`${head} ${oneLine(finding.entity)}${pointer(finding)}${where}`, ...detail.map((line) => `  ${line}`)];
}

function pointer({ path }: Finding): string {
  return path === '' ? '' : ` ${oneLine(path)}`;
}

function change({ before, after }: Finding): string[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined) return [`Added: ${brief(after ?? null)}`];
  if (after === undefined) return [`Was: ${brief(before)}`];
  return [`Was ${brief(before)}, is ${brief(after)}`];
}
