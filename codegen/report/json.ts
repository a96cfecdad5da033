import type { DiffReport } from '../diff/finding.ts';
import { printableJson } from './text.ts';

/** Raised when a reader of the JSON report must change; fields are added without raising it. */
export const REPORT_FORMAT = 1;

/** For programs. The shape is described in skills/contributing/gate/report.schema.json. */
export function jsonReport(report: DiffReport): string {
  return `${printableJson({ format: REPORT_FORMAT, ...report })}\n`;
}
