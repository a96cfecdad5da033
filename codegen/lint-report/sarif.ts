import type { Diagnostic } from '../model/diagnostic.ts';
import { printableJson, visible } from '../report/text.ts';
import type { SuppressionSpec } from '../model/types.ts';
import { fileOf, sentenceOf } from './findings.ts';
import type { LintRun } from './findings.ts';

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const;

/** For code scanning: SARIF 2.1.0 with suppressed findings marked as such. */
export function sarifLint(run: LintRun): string {
  const rules = rulesOf(run);
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const result = (one: Diagnostic, suppression?: SuppressionSpec): object => ({
    ruleId: one.rule,
    ruleIndex: indexes.get(one.rule) ?? -1,
    level: LEVELS[one.level],
    message: { text: visible(sentenceOf(one)) },
    locations: [locationOf(one, run.root)],
    ...(suppression === undefined
      ? {}
      : { suppressions: [{ kind: 'inSource', status: 'accepted', justification: visible(suppression.reason) }] }),
  });
  return `${printableJson({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'mcp-contract', rules } },
        columnKind: 'utf16CodeUnits',
        results: [
          ...run.diagnostics.map((one) => result(one)),
          ...run.suppressed.map(({ diagnostic, suppression }) => result(diagnostic, suppression)),
        ],
      },
    ],
  })}\n`;
}

function rulesOf({ diagnostics, rules }: LintRun): { readonly id: string; readonly shortDescription?: object }[] {
  const known = new Set(rules.map(({ id }) => id));
  const others = [...new Set(diagnostics.map(({ rule }) => rule))].filter((rule) => !known.has(rule));
  return [
    ...rules.map(({ id, sentence, level }) => ({
      id,
      shortDescription: { text: sentence },
      defaultConfiguration: { level: LEVELS[level] },
    })),
    ...others.map((id) => ({ id })),
  ];
}

function locationOf(one: Diagnostic, root: string): object {
  const { line, column } = one.position;
  return {
    physicalLocation: {
      artifactLocation: { uri: visible(fileOf(one, root)).split('/').map(encodeURIComponent).join('/') },
      region: { startLine: line, startColumn: column },
    },
    ...(one.entity === undefined
      ? {}
      : { logicalLocations: [{ fullyQualifiedName: visible(`${one.entity}#${one.pointer ?? ''}`), kind: 'member' }] }),
  };
}
