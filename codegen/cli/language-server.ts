import process from 'node:process';
import type { Command } from 'commander';
import type { ExitCode, Io } from './io.ts';

/** Adds `language-server`; `done` takes the exit code. */
export function registerLanguageServer(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('language-server')
    .summary('serve an editor over standard input and output')
    .description(
      'Speaks the Language Server Protocol: findings while typing with their fixes, names, what agents will read, definitions.',
    )
    .option('--stdio', 'over the standard streams, which is the only way there is')
    .allowExcessArguments(false)
    .action(async () => {
      const { serveLanguage } = await import('../language/server.ts');
      const today = (): string => (io.now?.() ?? new Date()).toISOString().slice(0, 10);
      await serveLanguage({ input: process.stdin, output: process.stdout, name: 'mcp-contract', today });
      done(0);
    });
}
