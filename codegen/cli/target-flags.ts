import { pull, type Pulled, type Target } from '../pull/pull.ts';
import { Refusal } from '../pull/refusal.ts';
import { BadTarget, httpTarget, sendsInTheClear } from '../pull/target.ts';
import { visible } from '../report/text.ts';
import { BadInput, type Io } from './io.ts';
import type { TargetFlags } from './server-flags.ts';

export function targetOf(address: string, flags: TargetFlags): Target {
  try {
    return httpTarget(address, flags);
  } catch (error) {
    if (error instanceof BadTarget) throw new BadInput(error.message);
    throw error;
  }
}

/** Reads the server, or says in one sentence why it cannot be read. */
export async function pullTarget(target: Target, flags: TargetFlags, io: Io): Promise<Pulled> {
  if (sendsInTheClear(target)) io.err('Warning: the credentials cross the network without TLS.\n');
  const { revision, timeout, maxBytes } = flags;
  try {
    return await pull({
      target,
      ...(revision.length === 0 ? {} : { revisions: revision }),
      limits: {
        ...(timeout === undefined ? {} : { answerMs: timeout * 1000, totalMs: Math.max(60_000, timeout * 4000) }),
        ...(maxBytes === undefined ? {} : { answerBytes: maxBytes }),
      },
    });
  } catch (error) {
    if (error instanceof Refusal) throw new BadInput(`The server cannot be read. ${visible(error.message)}`);
    throw error;
  }
}
