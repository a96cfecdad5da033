import { CommanderError } from 'commander';
import { ApiError } from '../../generated/client/index.ts';
import type { Terminal } from '../kernel/terminal.ts';
import { ToolRefusal } from './tool-caller.ts';
import { Refused, UsageFault } from './usage-fault.ts';

/** 0 done, 1 refused or failed, 2 wrong command, 3 the server cannot be reached, 4 a fault of our own. */
export const EXIT = { done: 0, refused: 1, misused: 2, unreachable: 3, fault: 4 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The one place that turns a failure into words and a code. */
export function explain(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
  if (error instanceof UsageFault) return say(terminal, error.message, EXIT.misused);
  if (error instanceof Refused) return say(terminal, error.message, EXIT.refused);
  if (error instanceof ToolRefusal || error instanceof ApiError)
    return say(terminal, `${error.message} (${error.code})`, EXIT.refused);
  if (isConnectionFault(error)) {
    const cause = causeOf(error);
    return say(
      terminal,
      `The server cannot be reached${cause === undefined ? '' : ` (${cause})`}. Is it running? Name another one with --url or OVERMIND_URL.`,
      EXIT.unreachable,
    );
  }
  return say(terminal, error instanceof Error ? (error.stack ?? error.message) : String(error), EXIT.fault);
}

/** Whether sending the same thing again may do better: nothing was answered, or the server says so. */
export function isWorthRepeating(error: unknown): boolean {
  if (error instanceof ApiError) return error.retryable || error.status >= 500 || error.status === 429;
  return isConnectionFault(error);
}

/** `fetch` throws TypeErrors for whatever happened on the wire, and `terminated` for bodies that were cut. */
function isConnectionFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    (error instanceof TypeError && error.cause !== undefined) || ['TimeoutError', 'AbortError'].includes(error.name)
  );
}

function causeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return undefined;
  const code: unknown = (cause as NodeJS.ErrnoException).code;
  return typeof code === 'string' ? code : undefined;
}

function say(terminal: Terminal, message: string, code: ExitCode): ExitCode {
  terminal.remark(message);
  return code;
}
