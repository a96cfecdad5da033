import type { Diagnostic } from '../model/diagnostic.ts';
import { html as xml } from '../report/markup.ts';
import type { Markup } from '../report/markup.ts';
import { oneLine } from '../report/text.ts';
import { fileOf, sentenceOf } from './findings.ts';
import type { LintRun } from './findings.ts';

/** For CI that draws test results: one case per rule and finding; only errors fail. */
export function junitLint({ diagnostics, suppressed, rules, root }: LintRun): string {
  const broken = new Set([...diagnostics, ...suppressed.map(({ diagnostic }) => diagnostic)].map(({ rule }) => rule));
  const kept = rules.filter(({ id }) => !broken.has(id));
  const failures = diagnostics.filter(({ level }) => level === 'error').length;
  const tests = diagnostics.length + suppressed.length + kept.length;
  const counts = xml`tests="${tests}" failures="${failures}" errors="0" skipped="${suppressed.length}"`;
  const cases = [
    ...diagnostics.map((one) => testcase(one, root, outcome(one))),
    ...suppressed.map(({ diagnostic, suppression }) =>
      testcase(diagnostic, root, xml`<skipped message="${attribute(suppression.reason)}"/>`),
    ),
    ...kept.map(({ id, sentence }) => xml`\n    <testcase classname="${id}" name="${attribute(sentence)}" time="0"/>`),
  ];
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="contract lint" ${counts}>
  <testsuite name="contract lint" ${counts}>${cases}
  </testsuite>
</testsuites>
`.text;
}

function testcase(one: Diagnostic, root: string, inner: Markup): Markup {
  const { line } = one.position;
  const name = attribute(`${one.entity ?? 'file'} ${one.pointer ?? ''} line ${line}`);
  const place = xml`file="${attribute(fileOf(one, root))}" line="${line}"`;
  return xml`\n    <testcase classname="${one.rule}" name="${name}" ${place} time="0">${inner}</testcase>`;
}

function outcome(one: Diagnostic): Markup {
  const told = attribute(sentenceOf(one));
  if (one.level !== 'error') return xml`<system-out>${one.level}: ${told}</system-out>`;
  return xml`<failure type="${one.rule}" message="${told}"/>`;
}

/** Line breaks in attributes and characters that XML does not have would end the document early. */
function attribute(text: string): string {
  return oneLine(text).replaceAll(/[\ufffe\uffff]/gu, '\ufffd');
}
