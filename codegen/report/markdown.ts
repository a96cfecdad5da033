import type { DiffReport, Finding } from '../diff/finding.ts';
import {
  approved,
  countsSentence,
  open,
  outcomeSentence,
  pieces,
  placeOf,
  signed,
  tokensSentence,
  VERDICTS,
  versionSentence,
  witnessSentence,
} from './reading.ts';
import type { RenderOptions } from './options.ts';
import { brief, clip, oneLine, pretty, visible } from './text.ts';

/** A comment on a pull request may hold 65,536 characters; the rest is in the other reports. */
const LIMIT = 60_000;

/** For a pull request. Every word of the contract stands in a code span, so it can neither link nor mention. */
export function markdownReport(report: DiffReport, { root }: RenderOptions): string {
  const head = [
    '# Contract changes',
    '',
    `${code(report.before.label)} to ${code(report.after.label)}: **${countsSentence(report)}**. ${outcomeSentence(report)}`,
    '',
    `- ${escape(versionSentence(report))}`,
    `- ${tokensSentence(report)}`,
  ];
  const findings = VERDICTS.flatMap((verdict) => {
    const found = open(report).filter((finding) => finding.verdict === verdict);
    return found.length === 0
      ? []
      : [['', `## ${title(verdict)} (${found.length})`].join('\n'), ...found.map((one) => section(one, root))];
  });
  const rest = [...approvals(report), ...tokens(report)];
  return `${fit([...head, ...findings, ...rest]).trimEnd()}\n`;
}

function fit(blocks: readonly string[]): string {
  let text = '';
  for (const [index, block] of blocks.entries()) {
    if (text.length + block.length > LIMIT)
      return `${text}\n\n${blocks.length - index} more parts are in the full report.`;
    text += `${block}\n`;
  }
  return text;
}

function section(finding: Finding, root: string): string {
  const place = placeOf(finding, root);
  const witness = witnessSentence(finding);
  const lines = [
    '',
    `### ${code(finding.rule)} ${code(finding.entity)}${finding.path === '' ? '' : ` ${code(finding.path)}`}`,
    '',
    prose(finding.message),
    '',
    ...(finding.security ? ['- **Security**: somebody may reach or see more than was agreed.'] : []),
    ...(finding.cacheLag ? ['- Cache lag: clients that listed before cannot use it until they list again.'] : []),
    ...(finding.before === undefined ? [] : [`- Before: ${code(brief(finding.before))}`]),
    ...(finding.after === undefined ? [] : [`- After: ${code(brief(finding.after))}`]),
    ...(finding.unknown === undefined
      ? []
      : [
          `- Not decided: ${code(finding.unknown.keyword)} at ${code(finding.unknown.path)}: ${prose(finding.unknown.reason)}`,
        ]),
    ...(finding.renamedTo === undefined ? [] : [`- Looks like it is now ${code(finding.renamedTo)}.`]),
    ...(finding.uses.length === 0 ? [] : [`- Used by: ${finding.uses.map(code).join(', ')}`]),
    ...(finding.views.length === 0 ? [] : [`- Views: ${finding.views.map(code).join(', ')}`]),
    ...(finding.baseline === undefined ? [] : [`- Breaks release ${code(finding.baseline)}.`]),
    ...(place === undefined ? [] : [`- Place: ${code(`${place.file}:${place.line}`)}`]),
    `- Do: ${prose(finding.migration)}`,
    `- Fingerprint: ${code(finding.fingerprint)}`,
    ...(witness === undefined || finding.witness === undefined
      ? []
      : ['', `${witness}:`, '', fence(pretty(finding.witness.value, 4000), 'json')]),
  ];
  return lines.join('\n');
}

function approvals(report: DiffReport): string[] {
  const found = approved(report);
  if (found.length === 0) return [];
  const rows = found.map(
    (finding) =>
      `| ${cell(finding.rule)} | ${cell(finding.entity)} | ${cell(finding.approved?.change ?? '')} | ${cell(finding.approved?.owner ?? '')} | ${cell(finding.approved?.expires ?? 'never')} |`,
  );
  return [
    [
      '',
      `## Approved (${found.length})`,
      '',
      '| rule | entity | approval | owner | expires |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
    ].join('\n'),
  ];
}

function tokens(report: DiffReport): string[] {
  const { changes } = report.tokens;
  if (changes.length === 0) return [];
  const rows = changes.map(
    ({ entity, before, after }) => `| ${cell(entity)} | ${before} | ${after} | ${signed(after - before)} |`,
  );
  return [
    ['', '## Tokens', '', '| entity | before | after | change |', '| --- | ---: | ---: | ---: |', ...rows].join('\n'),
  ];
}

function title(verdict: string): string {
  return verdict === 'unknown' ? 'Not decided' : `${verdict[0]?.toUpperCase() ?? ''}${verdict.slice(1)}`;
}

function cell(text: string): string {
  return code(clip(text, 200)).replaceAll('|', '\\|');
}

/** A code span that its own content cannot close. */
function code(text: string): string {
  const line = oneLine(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/gu)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  const pad = line === '' || line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** A block that its own content cannot close. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}`;
}

/** Prose whose names are code spans. */
function prose(text: string): string {
  return pieces(text)
    .map((piece, at) => (at % 2 === 1 ? code(piece) : escape(piece)))
    .join('');
}

/** Prose with nothing that markdown, HTML or a mention could make of it. */
function escape(text: string): string {
  return visible(text)
    .replaceAll('\n', ' ')
    .replaceAll(/[\\`*_{}[\]()#+!|~$]/gu, (character) => `\\${character}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@&#8288;')
    .replaceAll(
      /(https?|ftp|www)([:.])/giu,
      (_, word: string, mark: string) => `${word}${mark === ':' ? '&#58;' : '&#46;'}`,
    );
}
