import type { DiffReport, Finding } from '../diff/finding.ts';
import type { Verdict } from '../diff/rules/rule.ts';
import { placeOf, viewsSentence, witnessSentence } from './reading.ts';
import type { RenderOptions } from './options.ts';
import { brief, printableJson, visible } from './text.ts';

const LEVELS: Readonly<Record<Verdict, 'error' | 'warning' | 'note' | 'none'>> = {
  breaking: 'error',
  risky: 'warning',
  unknown: 'warning',
  notice: 'note',
  safe: 'none',
};

/** For code scanning: SARIF 2.1.0, approvals as suppressions, fingerprints that survive rewording. */
export function sarifReport(report: DiffReport, { root }: RenderOptions): string {
  const rules = [...new Map(report.findings.map((finding) => [finding.rule, finding])).values()];
  const indexes = new Map(rules.map(({ rule }, index) => [rule, index]));
  return `${printableJson({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'mcp-contract',
            rules: rules.map((finding) => ({
              id: finding.rule,
              shortDescription: { text: sentence(finding.rationale) },
              help: { text: sentence(finding.migration) },
              properties: { tags: finding.security ? [...finding.sets, 'security'] : finding.sets },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: report.findings.map((finding) => result(finding, { index: indexes.get(finding.rule) ?? -1, root })),
        properties: { before: report.before, after: report.after, version: report.version },
      },
    ],
  })}\n`;
}

function result(finding: Finding, { index, root }: { readonly index: number; readonly root: string }): object {
  const { approved } = finding;
  return {
    ruleId: finding.rule,
    ruleIndex: index,
    level: LEVELS[finding.verdict],
    message: { text: visible(message(finding)) },
    locations: [location(finding, root)],
    partialFingerprints: { 'mcpContractChange/v1': finding.fingerprint },
    ...(approved === undefined
      ? {}
      : {
          suppressions: [
            {
              kind: 'external',
              status: 'accepted',
              justification: visible(`${approved.change}, ${approved.owner}: ${approved.reason}`),
            },
          ],
        }),
    properties: { verdict: finding.verdict, stability: finding.stability, views: finding.views, uses: finding.uses },
  };
}

function message(finding: Finding): string {
  const witness = witnessSentence(finding);
  const views = viewsSentence(finding);
  return [
    finding.message,
    ...(witness === undefined || finding.witness === undefined ? [] : [`${witness}: ${brief(finding.witness.value)}`]),
    ...(views === undefined ? [] : [views]),
    finding.migration,
  ].join('\n');
}

function location(finding: Finding, root: string): object {
  const place = placeOf(finding, root);
  const name = visible(finding.path === '' ? finding.entity : `${finding.entity}#${finding.path}`);
  return {
    ...(place === undefined
      ? {}
      : {
          physicalLocation: {
            artifactLocation: { uri: visible(place.file).split('/').map(encodeURIComponent).join('/') },
            region: { startLine: place.line, startColumn: place.column },
          },
        }),
    logicalLocations: [{ fullyQualifiedName: name, kind: 'member' }],
  };
}

function sentence(text: string): string {
  return visible(text) || 'No description.';
}
