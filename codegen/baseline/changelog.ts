import type { DiffReport, Finding } from '../diff/finding.ts';

const SECTIONS: readonly (readonly [title: string, takes: (finding: Finding) => boolean])[] = [
  ['Breaking', ({ verdict }) => verdict === 'breaking' || verdict === 'unknown'],
  ['Deprecated', ({ rule }) => rule === 'deprecation-added'],
  ['Added', ({ rule }) => rule.endsWith('-added') || rule.endsWith('-offered')],
  ['Needs attention', ({ verdict }) => verdict === 'risky'],
  ['Changed', () => true],
];

/** What callers read about one release, newest first in the file. */
export function changelogEntry(report: DiffReport | undefined, version: string, date: string): string {
  const lines = [`## ${version} (${date})`, ''];
  if (report === undefined) return [...lines, 'First release.', ''].join('\n');
  const left = new Set(report.findings.filter(isTold));
  for (const [title, takes] of SECTIONS) {
    const chosen = [...left].filter(takes);
    if (chosen.length === 0) continue;
    for (const one of chosen) left.delete(one);
    lines.push(`### ${title}`, '', ...chosen.map(line), '');
  }
  if (lines.length === 2) lines.push('Nothing that callers meet has changed.', '');
  return lines.join('\n');
}

function isTold({ rule, cacheLag, baseline }: Finding): boolean {
  return !/^(?:approval|version|baseline)-/u.test(rule) && !cacheLag && baseline === undefined;
}

function line({ entity, message, migration, verdict, approved }: Finding): string {
  const advice = verdict === 'breaking' || verdict === 'risky' ? ` ${migration}` : '';
  const reason = approved === undefined || approved.owner === '' ? '' : ` Reason: ${approved.reason}`;
  return `- **${entity}**: ${message}${advice}${reason}`.replaceAll(/[\r\n]+/gu, ' ');
}

const HEADING = '# Changelog\n\nWhat callers of the published surface meet, release by release.\n';

/** Puts an entry above the older ones. */
export function prependEntry(text: string, entry: string): string {
  const old = text === '' ? HEADING : text;
  const at = old.indexOf('\n## ');
  if (at === -1) return `${old.trimEnd()}\n\n${entry.trimEnd()}\n`;
  return `${old.slice(0, at).trimEnd()}\n\n${entry.trimEnd()}\n\n${old.slice(at + 1)}`;
}
