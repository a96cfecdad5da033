/** What a command may touch of the process. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether colour helps: a terminal, and NO_COLOR is not set. */
  readonly color: boolean;
  readonly cwd: string;
  /** The clock, where a command judges dates; the real one when absent. */
  readonly now?: () => Date;
  /** Asks the person at the terminal; absent when there is none. */
  readonly ask?: (question: string) => Promise<string>;
  /** Calls back when the process is asked to stop. */
  readonly onStop: (stop: () => void) => void;
}

/** 0 fine, 1 findings, 2 bad input, 3 a fault of the compiler itself, 4 not decided (`contains` alone). */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** The person asked for something that cannot be: a wrong flag, a folder that is not there. */
export class BadInput extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadInput';
  }
}

/** By name: a loader may give a command that is loaded late a class of its own. */
export function isBadInput(error: unknown): error is BadInput {
  return error instanceof BadInput || (error instanceof Error && error.name === 'BadInput');
}

export interface Palette {
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly dim: (text: string) => string;
}

export function palette(color: boolean): Palette {
  const paint = (code: number) => (text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { red: paint(31), yellow: paint(33), green: paint(32), dim: paint(2) };
}
