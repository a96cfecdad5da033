import { InvalidArgumentError, Option, type Command } from 'commander';
import { pull, type Pulled, type Target } from '../pull/pull.ts';
import { Refusal } from '../pull/refusal.ts';
import { LEGACY, MODERN, type Revision } from '../pull/session.ts';
import { BadTarget, httpTarget, sendsInTheClear } from '../pull/target.ts';
import { visible } from '../report/text.ts';
import { BadInput, type Io } from './io.ts';

export interface TargetFlags {
  readonly header: readonly string[];
  readonly grant: readonly string[];
  readonly revision: readonly Revision[];
  readonly timeout?: number;
  readonly maxBytes?: number;
}

/** The flags with which every command that reads a live server says who asks and how patient it is. */
export function addTargetFlags(command: Command): Command {
  return command
    .option('--header <line>', "header of every request, 'Name: value'; may be repeated", collect, [])
    .option('--grant <line>', "credential of one grant, 'name=Name: value'; may be repeated", collect, [])
    .addOption(
      new Option(
        '--revision <date>',
        'protocol revision to read in; may be repeated (default: the newest of each kind)',
      )
        .argParser(readRevision)
        .default([]),
    )
    .option('--timeout <seconds>', 'patience for one answer (default: 15)', readCount)
    .option('--max-bytes <count>', 'size that one answer may have (default: 16777216)', readCount);
}

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

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function readRevision(value: string, before: readonly Revision[]): readonly Revision[] {
  const known: readonly Revision[] = [...MODERN, ...LEGACY];
  const found = known.find((one) => one === value);
  if (found === undefined) throw new InvalidArgumentError(`Revisions are ${known.join(', ')}.`);
  return [...before, found];
}

function readCount(value: string): number {
  const count = Number(value);
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('Give a whole number of at least 1.');
  return count;
}
