import type { DiffReport, Finding } from '../diff/finding.ts';
import { countsSentence, fails, placeOf, subject, viewsSentence, witnessSentence } from './reading.ts';
import type { RenderOptions } from './options.ts';
import { brief, pretty, visible } from './text.ts';

/** For CI that draws test results: one suite per entity, one case per finding. */
export function junitReport(report: DiffReport, { root }: RenderOptions): string {
  const suites = new Map<string, Finding[]>();
  for (const finding of report.findings) suites.set(finding.entity, [...(suites.get(finding.entity) ?? []), finding]);
  const failures = report.findings.filter((finding) => fails(finding, report)).length;
  const tests = Math.max(report.findings.length, 1);
  const body =
    suites.size === 0
      ? [emptySuite()]
      : [...suites].map(([entity, findings]) => suite(entity, findings, { report, root }));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="contract gate: ${xml(countsSentence(report))}" tests="${tests}" failures="${failures}" errors="0">`,
    ...body,
    '</testsuites>',
    '',
  ].join('\n');
}

interface Around {
  readonly report: DiffReport;
  readonly root: string;
}

function emptySuite(): string {
  return '  <testsuite name="contract" tests="1" failures="0" errors="0" skipped="0">\n    <testcase classname="contract" name="nothing a caller can see has changed" time="0"/>\n  </testsuite>';
}

function suite(entity: string, findings: readonly Finding[], around: Around): string {
  const failures = findings.filter((finding) => fails(finding, around.report)).length;
  const skipped = findings.filter(({ approved }) => approved !== undefined).length;
  return [
    `  <testsuite name="${xml(entity)}" tests="${findings.length}" failures="${failures}" errors="0" skipped="${skipped}">`,
    ...findings.map((finding) => testcase(finding, around)),
    '  </testsuite>',
  ].join('\n');
}

function testcase(finding: Finding, { report, root }: Around): string {
  const place = placeOf(finding, root);
  const file = place === undefined ? '' : ` file="${xml(place.file)}" line="${place.line}"`;
  const open = `    <testcase classname="${xml(finding.entity)}" name="${xml(`${finding.rule} ${subject(finding)}`)}"${file} time="0">`;
  return `${open}\n      ${outcome(finding, report)}\n    </testcase>`;
}

function outcome(finding: Finding, report: DiffReport): string {
  const { approved } = finding;
  if (approved !== undefined) {
    return `<skipped message="${xml(`approved in ${approved.change} by ${approved.owner}: ${approved.reason}`)}"/>`;
  }
  if (!fails(finding, report)) return `<system-out>${xml(`${finding.verdict}: ${story(finding)}`)}</system-out>`;
  return `<failure type="${xml(finding.rule)}" message="${xml(finding.message)}">${xml(story(finding))}</failure>`;
}

function story(finding: Finding): string {
  const witness = witnessSentence(finding);
  const views = viewsSentence(finding);
  return [
    finding.message,
    ...(finding.before === undefined ? [] : [`Before: ${brief(finding.before)}`]),
    ...(finding.after === undefined ? [] : [`After: ${brief(finding.after)}`]),
    ...(witness === undefined || finding.witness === undefined
      ? []
      : [`${witness}:\n${pretty(finding.witness.value)}`]),
    ...(views === undefined ? [] : [views]),
    finding.migration,
    `Fingerprint ${finding.fingerprint}`,
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Characters that XML cannot hold are spelt out first, so that no reader stops at them. */
function xml(text: string): string {
  return visible(text)
    .replaceAll(/[\ufffe\uffff]/gu, '\ufffd')
    .replaceAll(/[&<>"']/gu, (character) => ENTITIES[character] ?? '')
    .replaceAll('\n', '&#10;')
    .replaceAll('\t', '&#9;');
}
