import type { ContractDocument } from '../load/document.ts';
import { fields, listOf, maybe, maybeText, textOf } from './fields.ts';
import type { SuppressionSpec } from './types.ts';

export function buildSuppressions(document: ContractDocument): SuppressionSpec[] {
  return listOf(document.value, 'suppress').map((one, index) => {
    const from = fields(one);
    return {
      rule: textOf(from, 'rule'),
      reason: textOf(from, 'reason'),
      ...maybe('until', maybeText(from, 'until')),
      entity: `${document.kind} ${document.stem}`,
      file: document.file,
      source: document.source,
      path: ['suppress', index],
    };
  });
}
