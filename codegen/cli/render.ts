import { readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { isObject } from '../contain/json.ts';
import type { DiffReport } from '../diff/finding.ts';
import type { JsonValue } from '../model/types.ts';
import { REPORT_FORMAT } from '../report/json.ts';
import { renderReport, type Format } from '../report/render.ts';
import { BadInput, type ExitCode, type Io } from './io.ts';
import type { ReportFlags } from './server-flags.ts';

const FILES: Readonly<Record<string, Format>> = { html: 'html', md: 'markdown', sarif: 'sarif', xml: 'junit' };

/** Turns the JSON report of one comparison into another form, so that one comparison serves every reader. */
export function runReport(file: string, flags: ReportFlags, io: Io): ExitCode {
  const report = read(file, io);
  if (flags.all !== undefined) {
    const stem = join(resolve(io.cwd, flags.all), basename(file, extname(file)));
    for (const [ending, format] of Object.entries(FILES)) {
      writeFileSync(`${stem}.${ending}`, render(report, { file, format, flags, io }));
    }
    return 0;
  }
  const format = flags.format === 'text' ? 'terminal' : flags.format;
  const text = render(report, { file, format, flags, io });
  if (flags.output === undefined) io.out(text);
  else writeFileSync(resolve(io.cwd, flags.output), text);
  return 0;
}

interface Rendering {
  readonly file: string;
  readonly format: Format;
  readonly flags: ReportFlags;
  readonly io: Io;
}

function render(report: DiffReport, { file, format, flags, io }: Rendering): string {
  try {
    return renderReport(report, format, { color: io.color && flags.output === undefined, root: flags.root });
  } catch (error) {
    if (error instanceof TypeError) throw new BadInput(`${file} is not a whole report: ${error.message}.`);
    throw error;
  }
}

const LISTS = ['findings', 'sets', 'entities'] as const;
const OBJECTS = ['before', 'after', 'counts', 'version', 'tokens'] as const;

function read(file: string, io: Io): DiffReport {
  const value = parse(file, io);
  const whole =
    isObject(value) &&
    value['format'] === REPORT_FORMAT &&
    LISTS.every((member) => Array.isArray(value[member])) &&
    OBJECTS.every((member) => isObject(value[member]));
  if (!whole) throw new BadInput(`${file} is no report of format ${REPORT_FORMAT}; make one with diff --format json.`);
  const { format: _, ...report } = value;
  // because the outline is checked, and a renderer that meets something else inside says so
  return report as unknown as DiffReport;
}

function parse(file: string, io: Io): JsonValue {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch {
    throw new BadInput(`Cannot read ${file}.`);
  }
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    throw new BadInput(`${file} is not JSON.`);
  }
}
