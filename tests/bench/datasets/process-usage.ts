import { readdirSync, readFileSync } from 'node:fs';

/** One process, as the machine accounts for it. */
export interface ProcessUsage {
  readonly pid: number;
  readonly residentBytes: number;
  readonly peakBytes: number;
  /** Of one core, since the process began. */
  readonly cpuMs: number;
}

const TICK_MS = 10;
const UTIME_FIELD = 11;

/** The engine processes below a server. Empty where the machine has no /proc. */
export function engineProcesses(serverPid: number): readonly ProcessUsage[] {
  return childrenOf(serverPid).flatMap((pid) => {
    const found = usageOf(pid);
    return found === undefined ? [] : [found];
  });
}

function childrenOf(parent: number): readonly number[] {
  return processes().filter((pid) => statOf(pid)?.[1] === String(parent) && isEngine(pid));
}

function processes(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function isEngine(pid: number): boolean {
  return textOf(pid, 'cmdline').includes('engine-main');
}

/** Nothing of a process that is gone, and where the machine has no /proc. */
export function usageOf(pid: number): ProcessUsage | undefined {
  const fields = statOf(pid);
  const status = textOf(pid, 'status');
  if (fields === undefined || status === '') return undefined;
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  const ticks = Number(fields[UTIME_FIELD]) + Number(fields[UTIME_FIELD + 1]);
  return {
    pid,
    residentBytes: kilobytes('VmRSS') * 1024,
    peakBytes: kilobytes('VmHWM') * 1024,
    cpuMs: ticks * TICK_MS,
  };
}

/** The fields after the command's name, which may hold anything: state, parent and so on. */
function statOf(pid: number): readonly string[] | undefined {
  const text = textOf(pid, 'stat');
  return text === '' ? undefined : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
