/** One comparison, in the form its reader needs. All forms say the same; none trusts the words it repeats. */
import type { DiffReport } from '../diff/finding.ts';
import { githubReport } from './github.ts';
import { htmlReport } from './html.ts';
import { jsonReport } from './json.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import type { RenderOptions } from './options.ts';
import { sarifReport } from './sarif.ts';
import { terminalReport } from './terminal.ts';

export const FORMATS = ['terminal', 'json', 'markdown', 'html', 'sarif', 'junit', 'github'] as const;
export type Format = (typeof FORMATS)[number];

const RENDERERS: Readonly<Record<Format, (report: DiffReport, options: RenderOptions) => string>> = {
  terminal: terminalReport,
  json: jsonReport,
  markdown: markdownReport,
  html: htmlReport,
  sarif: sarifReport,
  junit: junitReport,
  github: githubReport,
};

/** The report as text that ends with a line break. */
export function renderReport(report: DiffReport, format: Format, options: RenderOptions): string {
  return RENDERERS[format](report, options);
}
