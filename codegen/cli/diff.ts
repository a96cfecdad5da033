import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderReport, type Format } from '../report/render.ts';
import { gate, rootOf, whereOf, type GateFlags } from './gate.ts';
import type { ExitCode, Io } from './io.ts';

export interface DiffFlags extends GateFlags {
  readonly format: Exclude<Format, 'terminal'> | 'text';
  readonly output?: string;
}

export async function runDiff(range: string | undefined, flags: DiffFlags, io: Io): Promise<ExitCode> {
  const { report } = await gate(range, flags, io);
  const format = flags.format === 'text' ? 'terminal' : flags.format;
  const color = io.color && flags.output === undefined;
  const text = renderReport(report, format, { color, root: rootOf(whereOf(flags, io), io) });
  if (flags.output === undefined) io.out(text);
  else writeFileSync(resolve(io.cwd, flags.output), text);
  return report.failed ? 1 : 0;
}
