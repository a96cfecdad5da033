/** What the shared flags of `diff`, `approve`, `changelog` and `release` mean. */
import { relative, resolve } from 'node:path';
import { runGate, type GateOptions, type GateResult } from '../baseline/gate.ts';
import { SourceFault, type Where } from '../baseline/sources.ts';
import { digestOf, type LoadedSurface } from '../diff/loaded.ts';
import type { RuleSet } from '../diff/rules/rule.ts';
import { BadInput, type Io } from './io.ts';

export interface GateFlags {
  readonly schemas?: string;
  readonly against?: readonly string[];
  readonly header?: readonly string[];
  readonly failOn?: 'breaking' | 'risky' | 'notice';
  readonly rules?: RuleSet;
  readonly judgeVersion?: boolean;
  readonly today?: string;
}

export function whereOf(flags: GateFlags, io: Io): Where {
  const schemas = resolve(io.cwd, flags.schemas ?? 'schemas');
  return { cwd: io.cwd, schemas, pull: (address) => pullServer(address, flags.header ?? []) };
}

/** The contract folder as reports print it. */
export function rootOf({ schemas }: Where, io: Io): string {
  return relative(io.cwd, schemas) || '.';
}

async function pullServer(address: string, header: readonly string[]): Promise<LoadedSurface> {
  const [{ pull }, { BadTarget, httpTarget }, { Refusal }] = await Promise.all([
    import('../pull/pull.ts'),
    import('../pull/target.ts'),
    import('../pull/refusal.ts'),
  ]);
  try {
    const { surface } = await pull({ target: httpTarget(address, { header, grant: [] }) });
    return { label: address, surface, digest: digestOf(surface), changes: [] };
  } catch (error) {
    if (error instanceof BadTarget || error instanceof Refusal) throw new BadInput(`${address}: ${error.message}`);
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
