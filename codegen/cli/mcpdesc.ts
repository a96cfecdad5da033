import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { writeSnapshot } from '../baseline/snapshot.ts';
import { loadSource, WORK_TREE } from '../baseline/sources.ts';
import { exportDescription, UnknownGrant } from '../mcpdesc/export.ts';
import { DescriptionFault } from '../mcpdesc/format.ts';
import { importDescription } from '../mcpdesc/import.ts';
import type { JsonValue } from '../model/types.ts';
import { oneLine, printableJson } from '../report/text.ts';
import { asking } from './gate.ts';
import { BadInput, type ExitCode, type Io } from './io.ts';
import type { ExportFlags, ImportFlags } from './server-flags.ts';

/** Turns an MCP Description into a snapshot that `diff` takes. */
export function runImport(file: string, flags: ImportFlags, io: Io): ExitCode {
  const taken = reading(file, () => importDescription(parse(file, io)));
  for (const note of taken.notes) io.err(`Note: ${oneLine(note)}\n`);
  write(writeSnapshot(taken.surface), flags.out, io);
  return 0;
}

/** Describes a contract folder, a commit or a snapshot as an MCP Description. */
export async function runExport(source: string | undefined, flags: ExportFlags, io: Io): Promise<ExitCode> {
  const where = { cwd: io.cwd, schemas: resolve(io.cwd, flags.schemas ?? 'schemas') };
  if (flags.url !== undefined && !URL.canParse(flags.url)) throw new BadInput(`${flags.url} is not an address.`);
  const { surface } = await asking(() => loadSource(source ?? WORK_TREE, where));
  const { document, notes } = reading(source ?? 'the contracts', () => exportDescription(surface, flags));
  for (const note of notes) io.err(`Note: ${oneLine(note)}\n`);
  const text =
    flags.yaml === true
      ? stringify(document, { schema: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false })
      : `${printableJson(document)}\n`;
  write(text, flags.out, io);
  return 0;
}

function write(text: string, out: string | undefined, io: Io): void {
  if (out === undefined) io.out(text);
  else writeFileSync(resolve(io.cwd, out), text);
}

function reading<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DescriptionFault)
      throw new BadInput(`${file} is no MCP Description: ${oneLine(error.message)}`);
    if (error instanceof UnknownGrant) throw new BadInput(oneLine(error.message));
    throw error;
  }
}

function parse(file: string, io: Io): JsonValue {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch {
    throw new BadInput(`Cannot read ${file}.`);
  }
  const document = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: true, merge: false });
  const [fault] = document.errors;
  if (fault !== undefined) throw new BadInput(`${file} is neither JSON nor YAML: ${oneLine(fault.message)}`);
  const value: JsonValue = document.toJS({ maxAliasCount: 100 });
  return value;
}
