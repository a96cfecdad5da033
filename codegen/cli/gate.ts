/** What the shared flags of `diff`, `approve`, `changelog` and `release` mean. */
import { relative, resolve } from 'node:path';
import { runGate, type GateOptions, type GateResult } from '../baseline/gate.ts';
import { SourceFault, type Where } from '../baseline/sources.ts';
import { digestOf, type LoadedSurface } from '../diff/loaded.ts';
import type { RuleSet } from '../diff/rules/rule.ts';
import { BadInput, isBadInput, type Io } from './io.ts';

export interface GateFlags {
  readonly schemas?: string;
  readonly against?: readonly string[];
  readonly header?: readonly string[];
  readonly grant?: readonly string[];
  readonly failOn?: 'breaking' | 'risky' | 'notice';
  readonly rules?: RuleSet;
  readonly judgeVersion?: boolean;
  readonly today?: string;
}

export function whereOf(flags: GateFlags, io: Io): Where {
  const schemas = resolve(io.cwd, flags.schemas ?? 'schemas');
  return { cwd: io.cwd, schemas, pull: (address) => pullServer(address, flags, io) };
}

/** The contract folder as reports print it. */
export function rootOf({ schemas }: Where, io: Io): string {
  return relative(io.cwd, schemas) || '.';
}

async function pullServer(address: string, { header = [], grant = [] }: GateFlags, io: Io): Promise<LoadedSurface> {
  const [{ pullTarget, targetOf }, { oneLine }] = await Promise.all([
    import('./target-flags.ts'),
    import('../report/text.ts'),
  ]);
  const flags = { header, grant, revision: [] };
  try {
    const { surface, notes } = await pullTarget(targetOf(address, flags), flags, io);
    for (const note of notes) io.err(`Note on ${address}: ${oneLine(note)}\n`);
    return { label: address, surface, digest: digestOf(surface), changes: [] };
  } catch (error) {
    // Two servers may be read in one comparison, so the sentence says which of them it is about.
    if (isBadInput(error)) throw new BadInput(`${address}: ${error.message}`);
    throw error;
  }
}

function gateOptions(flags: GateFlags, io: Io): GateOptions {
  return {
    today: todayOf(flags, io),
    ...(flags.failOn === undefined ? {} : { failOn: flags.failOn }),
    ...(flags.rules === undefined ? {} : { rules: flags.rules }),
    ...(flags.judgeVersion === true ? { judgeVersion: true } : {}),
  };
}

export function todayOf({ today }: GateFlags, io: Io): string {
  return today ?? (io.now?.() ?? new Date()).toISOString().slice(0, 10);
}

export async function gate(range: string | undefined, flags: GateFlags, io: Io): Promise<GateResult> {
  const request = {
    ...(range === undefined ? {} : { range }),
    ...(flags.against === undefined ? {} : { against: flags.against }),
  };
  return asking(() => runGate(request, whereOf(flags, io), gateOptions(flags, io)));
}

/** What cannot be read is the fault of who asked. */
export async function asking<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof SourceFault) throw new BadInput(error.message);
    throw error;
  }
}
