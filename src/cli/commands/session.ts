import type { Terminal } from '../../kernel/terminal.ts';
import { connect, type Connection, type ConnectionOptions, type Environment } from '../connection.ts';
import { createProgress, type Progress } from '../progress.ts';

/** What every command is given. */
export interface Session {
  readonly terminal: Terminal;
  readonly progress: Progress;
  readonly json: boolean;
  readonly environment: Environment;
  readonly connect: () => Promise<Connection>;
}

export interface GlobalOptions extends ConnectionOptions {
  readonly json?: true;
}

export function openSession(
  { terminal, environment }: Pick<Session, 'terminal' | 'environment'>,
  options: GlobalOptions,
): Session {
  const json = options.json === true;
  return {
    terminal,
    json,
    environment,
    progress: createProgress(process.stderr, json),
    connect: () => connect(options, environment),
  };
}
