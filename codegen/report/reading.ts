/** What every report says in the same words: the order, the counts, the verdict on the whole. */
import type { DiffReport, Finding } from '../diff/finding.ts';
import type { Verdict } from '../diff/rules/rule.ts';
import type { SourcePosition } from '../model/types.ts';
import { plural } from './text.ts';

export const VERDICTS: readonly Verdict[] = ['breaking', 'risky', 'unknown', 'notice', 'safe'];

/** Verdicts that make the command fail, by threshold. What cannot be decided counts as risky. */
const FAILING: Readonly<Record<DiffReport['failOn'], readonly Verdict[]>> = {
  breaking: ['breaking'],
  risky: ['breaking', 'risky', 'unknown'],
  notice: ['breaking', 'risky', 'unknown', 'notice'],
};

export function fails(finding: Finding, report: DiffReport): boolean {
  return finding.approved === undefined && FAILING[report.failOn].includes(finding.verdict);
}

export function open(report: DiffReport): readonly Finding[] {
  return report.findings.filter(({ approved }) => approved === undefined);
}

export function approved(report: DiffReport): readonly Finding[] {
  return report.findings.filter((one) => one.approved !== undefined);
}

export function countsSentence(report: DiffReport): string {
  const parts = VERDICTS.filter((verdict) => report.counts[verdict] > 0).map(
    (verdict) => `${report.counts[verdict]} ${verdict}`,
  );
  if (report.approved > 0) parts.push(`${report.approved} approved`);
  return parts.length === 0 ? 'no findings' : parts.join(', ');
}

export function outcomeSentence(report: DiffReport): string {
  if (report.failed) {
    const worst = report.failOn === 'breaking' ? 'breaking' : `${report.failOn} or worse`;
    return `Refused: a change is ${worst} and nobody approved it.`;
  }
  return report.findings.length === 0 ? 'Passed: nothing a caller can see has changed.' : 'Passed.';
}

export function versionSentence({ version }: DiffReport): string {
  const { before, after, required, given, suggested } = version;
  if (required === 'none') return `Version ${after}; no bump is required.`;
  if (before === after) return `Version stays ${after}, yet the changes need a ${required} bump: ${suggested}.`;
  if (given === 'decrease')
    return `Version falls from ${before} to ${after}; the least that tells the truth is ${suggested}.`;
  const order = ['none', 'patch', 'minor', 'major'];
  const enough = order.indexOf(given) >= order.indexOf(required);
  return enough
    ? `Version ${before} to ${after} is a ${given} bump; ${required} is required.`
    : `Version ${before} to ${after} is only a ${given} bump; ${required} is required: ${suggested}.`;
}

export function tokensSentence({ tokens }: DiffReport): string {
  const delta = tokens.after - tokens.before;
  return `${tokens.before} to ${tokens.after} tokens in listings (${signed(delta)}).`;
}

export function signed(delta: number): string {
  return delta > 0 ? `+${delta}` : String(delta);
}

export function witnessSentence(finding: Finding): string | undefined {
  const { witness } = finding;
  if (witness === undefined) return undefined;
  const what = finding.direction === 'out' ? 'result' : 'call';
  return `A ${what} that the ${witness.acceptedBy} contract accepts and the ${witness.refusedBy} one refuses`;
}

/** Where the finding is in the repository; `root` is the contract folder. */
export function placeOf(finding: Finding, root: string): SourcePosition | undefined {
  const { position } = finding;
  if (position === undefined) return undefined;
  const folder = root.replace(/^\.\//u, '').replace(/\/+$/u, '');
  return { ...position, file: folder === '' || folder === '.' ? position.file : `${folder}/${position.file}` };
}

export function subject(finding: Finding): string {
  return finding.path === '' ? finding.entity : `${finding.entity} at ${finding.path}`;
}

export function viewsSentence(finding: Finding): string | undefined {
  if (finding.views.length === 0) return undefined;
  return `Seen in ${plural(finding.views.length, 'view')}: ${finding.views.join('; ')}`;
}

/** A sentence in pieces: every second one stands between backticks and is a name or a value. */
export function pieces(sentence: string): readonly string[] {
  return sentence.split(/`([^`\n]+)`/u);
}
