import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * `prompt` is below the server and its database. `patient` gives way to everything else, and for good: only the
 * privileged may raise a priority again.
 */
export type Pace = 'prompt' | 'patient';

const PRIORITY: Readonly<Record<Pace, number>> = { prompt: 10, patient: 19 };

/** Linux has a priority for each thread, not for the process: a new thread takes that of the one that makes it. */
export function setPace(pid: number, pace: Pace): void {
  lower(pid, PRIORITY[pace]);
  for (const thread of threadsOf(pid)) lower(thread, PRIORITY[pace]);
}

function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

function lower(id: number, priority: number): void {
  try {
    setPriority(id, priority);
  } catch {
    // It has ended, which shows as soon as it is asked anything, or is as low already.
  }
}
