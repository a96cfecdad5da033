import type { DiffReport } from '../diff/finding.ts';
import { countsSentence, fails, open, outcomeSentence, placeOf, subject, witnessSentence } from './reading.ts';
import type { RenderOptions } from './options.ts';
import { brief, clip, oneLine } from './text.ts';

/** GitHub drops annotations over this many per step; the summary line tells that there are more. */
const LIMIT = 50;

/** For the log of a GitHub job: workflow commands that become annotations on the changed files. */
export function githubReport(report: DiffReport, { root }: RenderOptions): string {
  const told = open(report).filter(({ verdict }) => verdict !== 'safe');
  const lines = told.slice(0, LIMIT).map((finding) => {
    const level = fails(finding, report) ? 'error' : finding.verdict === 'notice' ? 'notice' : 'warning';
    const place = placeOf(finding, root);
    const properties = [
      ...(place === undefined ? [] : [`file=${property(place.file)}`, `line=${place.line}`, `col=${place.column}`]),
      `title=${property(`${finding.verdict} ${finding.rule}: ${subject(finding)}`)}`,
    ];
    const witness = witnessSentence(finding);
    const sentences = [
      finding.message,
      ...(witness === undefined || finding.witness === undefined
        ? []
        : [`${witness}: ${brief(finding.witness.value)}`]),
      finding.migration,
    ];
    return `::${level} ${properties.join(',')}::${data(sentences.map((one) => oneLine(one)).join('\n'))}`;
  });
  const rest = told.length - lines.length;
  const more = rest > 0 ? ` ${rest} more in the full report.` : '';
  lines.push(`::notice title=Contract gate::${data(`${countsSentence(report)}. ${outcomeSentence(report)}${more}`)}`);
  return `${lines.join('\n')}\n`;
}

function data(text: string): string {
  return clip(text, 4000).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(oneLine(clip(text, 250)))
    .replaceAll(':', '%3A')
    .replaceAll(',', '%2C');
}
