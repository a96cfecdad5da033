import { Command, CommanderError, Option } from 'commander';
import { AppError } from '../kernel/errors.ts';
import type { CreateKeyOptions } from './commands/key.ts';
import { ConfigError } from './config.ts';
import { packageVersion } from '../kernel/package-version.ts';
import { settingsHelp } from './settings-table.ts';
import type { Terminal } from '../kernel/terminal.ts';

/** Exit codes: 0 done, 1 refused or found wanting, 2 wrong command or setting, 3 a fault of our own. */
const EXIT = { done: 0, refused: 1, misused: 2, fault: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface Outcome {
  code: ExitCode;
}

/** Runs one command to its end and answers the exit code. Each command loads its own code, so that help costs nothing. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const outcome: Outcome = { code: EXIT.done };
  try {
    await program(terminal, outcome).parseAsync([...args], { from: 'user' });
    return outcome.code;
  } catch (error) {
    return explain(error, terminal);
  }
}

function program(terminal: Terminal, outcome: Outcome): Command {
  const root = new Command('overmind-mcp')
    .description('The Overmind MCP server and its operator commands.')
    .version(packageVersion(), '--version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.remark(text.trimEnd()),
    })
    .showHelpAfterError('Run overmind-mcp --help for the commands and settings.')
    .addHelpText(
      'after',
      () => `\n${settingsHelp()}\n\nExit codes: 0 done, 1 refused, 2 wrong command or setting, 3 own fault.`,
    );
  addRunning(root, terminal);
  addStore(root, terminal, outcome);
  addProject(root.command('project').description('Projects: the boundary of all data.'), terminal);
  addAccount(root.command('account').description('Accounts: people, and how they sign in.'), terminal);
  addKey(root.command('key').description('API keys, by which clients sign in.'), terminal);
  addKeys(root.command('keys').description('Keys of the authorization server.'), terminal);
  return root;
}

function addRunning(root: Command, terminal: Terminal): void {
  root
    .command('serve')
    .description('Migrate the store and serve MCP and HTTP, with a worker inside.')
    .option('--no-worker', 'leave background jobs to separate `work` processes')
    .addOption(jsonOption())
    .action(async (options: { worker: boolean; json?: true }) => {
      const { serve } = await import('./commands/serve.ts');
      await serve({ terminal, worker: options.worker, json: options.json === true });
    });
  root
    .command('work')
    .description('Run background jobs only.')
    .action(async () => {
      const { work } = await import('./commands/work.ts');
      await work({ terminal });
    });
}

function addStore(root: Command, terminal: Terminal, outcome: Outcome): void {
  root
    .command('migrate')
    .description('Bring the database up to date and stop.')
    .addOption(jsonOption())
    .action(async (options: { json?: true }) => {
      const { migrateStore } = await import('./commands/migrate.ts');
      await migrateStore({ terminal, json: options.json === true });
    });
  root
    .command('doctor')
    .description('Check settings, folder and database; say what to do about each fault.')
    .addOption(new Option('--settings', 'print the settings and their values only'))
    .addOption(new Option('--markdown', 'print the settings as a documentation table only'))
    .addOption(jsonOption())
    .action(async (options: { settings?: true; markdown?: true; json?: true }) => {
      const { doctor } = await import('./commands/doctor.ts');
      if (!(await doctor({ terminal, ...options }))) outcome.code = EXIT.refused;
    });
}

function addProject(project: Command, terminal: Terminal): void {
  project
    .command('create <name>')
    .description('Make a project; its first member is the account.')
    .option('--slug <slug>', 'short name in addresses; made from the name when absent')
    .option('--account <email>', 'the account; not needed while there is only one')
    .addOption(jsonOption())
    .action(async (name: string, options: { slug?: string; account?: string; json?: true }) => {
      const { createProject } = await import('./commands/project.ts');
      await createProject({ terminal, name, ...options });
    });
  project
    .command('list')
    .description('List all projects.')
    .addOption(jsonOption())
    .action(async (options: { json?: true }) => {
      const { listProjects } = await import('./commands/project.ts');
      await listProjects({ terminal, ...options });
    });
}

function addAccount(account: Command, terminal: Terminal): void {
  account
    .command('list')
    .description('List all accounts.')
    .addOption(jsonOption())
    .action(async (options: { json?: true }) => {
      const { listAccounts } = await import('./commands/account.ts');
      await listAccounts({ terminal, ...options });
    });
  account
    .command('link [email]')
    .description('Print a one-time link by which a person sets their password.')
    .addOption(jsonOption())
    .action(async (email: string | undefined, options: { json?: true }) => {
      const { linkAccount } = await import('./commands/account.ts');
      await linkAccount({ terminal, ...(email !== undefined && { email }), ...options });
    });
  account
    .command('password [email]')
    .description('Set a password typed here, or given on standard input; signs all browsers out.')
    .action(async (email: string | undefined) => {
      const { setPassword } = await import('./commands/account.ts');
      await setPassword({ terminal, ...(email !== undefined && { email }) });
    });
}

function addKey(key: Command, terminal: Terminal): void {
  key
    .command('create <name>')
    .description('Make a key and print it once.')
    .option('--project <id or slug>', 'limit the key to this project; without it the key reaches all of the account')
    .option('--account <email>', 'the account; not needed while there is only one')
    .option('--read-only', 'without the write permission')
    .option('--expires <days>', 'days until the key stops working')
    .option('--allow-ip <range...>', 'addresses or CIDR ranges the key may be used from')
    .addOption(jsonOption())
    .action(async (name: string, options: Omit<CreateKeyOptions, 'terminal' | 'name'>) => {
      const { createKey } = await import('./commands/key.ts');
      await createKey({ terminal, name, ...options });
    });
  key
    .command('list')
    .description('List keys; their secrets are not stored and cannot be shown.')
    .option('--project <id or slug>', 'only keys limited to this project')
    .addOption(jsonOption())
    .action(async (options: { project?: string; json?: true }) => {
      const { listKeys } = await import('./commands/key.ts');
      await listKeys({ terminal, ...options });
    });
  key
    .command('revoke <key>')
    .description('Stop a key, named by id or display prefix, for good.')
    .addOption(jsonOption())
    .action(async (reference: string, options: { json?: true }) => {
      const { revokeKey } = await import('./commands/key.ts');
      await revokeKey({ terminal, reference, ...options });
    });
}

function addKeys(keys: Command, terminal: Terminal): void {
  keys
    .command('rotate')
    .description('Make new signing and cookie keys; old ones stay good for a day.')
    .addOption(jsonOption())
    .action(async (options: { json?: true }) => {
      const { rotateKeys } = await import('./commands/keys.ts');
      await rotateKeys({ terminal, ...options });
    });
}

function jsonOption(): Option {
  return new Option('--json', 'print one JSON value instead of text');
}

/** The one place that turns a failure into words and a code. */
function explain(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused;
  if (error instanceof ConfigError) {
    for (const fault of error.faults) terminal.remark(fault.message);
    return EXIT.misused;
  }
  if (error instanceof AppError) {
    terminal.remark(error.message);
    return error.code === 'invalid_input' ? EXIT.misused : EXIT.refused;
  }
  terminal.remark(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.fault;
}
