/** Reads the command line and runs one command. */
import { createRequire } from 'node:module';
import { Command, CommanderError, Option } from 'commander';
import { isBadInput } from './io.ts';
import type { ExitCode, Io } from './io.ts';
import { LINT_FORMATS, readOptions } from './options.ts';
import type { Options, RawOptions } from './options.ts';

type Run = (options: Options, io: Io) => Promise<ExitCode>;

interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly writes?: boolean;
  readonly watches?: boolean;
  readonly tests?: boolean;
  readonly lints?: boolean;
  readonly costs?: boolean;
  readonly load: () => Promise<Run>;
}

const COMMANDS: readonly Entry[] = [
  {
    name: 'lint',
    summary: 'check the contracts alone',
    lints: true,
    watches: true,
    load: async () => (await import('./lint.ts')).lint,
  },
  {
    name: 'generate',
    summary: 'compile the contracts into the output folder',
    writes: true,
    watches: true,
    load: async () => (await import('./generate.ts')).generate,
  },
  {
    name: 'check',
    summary: 'say whether the output folder is what the contracts make, and why not',
    writes: true,
    load: async () => (await import('./check.ts')).check,
  },
  {
    name: 'scaffold',
    summary: 'write the tool tests that are missing, never over one that exists',
    tests: true,
    load: async () => (await import('./scaffold.ts')).scaffold,
  },
  {
    name: 'cost',
    summary: 'count the tokens and bytes each tool costs an agent, and hold them against the budgets',
    costs: true,
    load: async () => (await import('./cost.ts')).cost,
  },
];

const LINT_HELP = `
Errors fail (exit code 1); warnings fail beyond --max-warnings; what is only worth knowing never does.
A warning is answered in its file: suppress: [{ rule, reason, until }]. The reason has five words or more; a
suppression that has expired or answers nothing is an error. An error cannot be answered.
--rules marks what --fix mends; an editor offers the likeliest fix of some more.`;

type Register = (program: Command, io: Io, done: (code: ExitCode) => void) => void;

/** Commands that state their own flags; a group is loaded when one of its names is asked for, or the help of all. */
const GROUPS: readonly { readonly names: readonly string[]; readonly load: () => Promise<Register> }[] = [
  { names: ['contains'], load: async () => (await import('./contains.ts')).registerContains },
  {
    names: ['diff', 'approve', 'changelog', 'release'],
    load: async () => (await import('./gate-commands.ts')).registerGate,
  },
  {
    names: ['pull', 'verify', 'import', 'export', 'report'],
    load: async () => (await import('./server-commands.ts')).registerServers,
  },
  { names: ['mock'], load: async () => (await import('./mock.ts')).registerMock },
  { names: ['docs'], load: async () => (await import('./docs.ts')).registerDocs },
  { names: ['project'], load: async () => (await import('./project.ts')).registerProject },
  { names: ['init'], load: async () => (await import('./init.ts')).registerInit },
  { names: ['add'], load: async () => (await import('./add.ts')).registerAdd },
  {
    names: ['language-server'],
    load: async () => (await import('./language-server.ts')).registerLanguageServer,
  },
];

function groupsFor(command = ''): typeof GROUPS {
  if (COMMANDS.some(({ name }) => name === command)) return [];
  const wanted = GROUPS.filter(({ names }) => names.includes(command));
  return wanted.length > 0 ? wanted : GROUPS;
}

export async function runCli(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = new Command('mcp-contract')
    .description('Compiles a folder of MCP contracts and guards what it publishes.')
    .version(packageVersion(), '--version')
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.color,
    })
    .showSuggestionAfterError()
    .showHelpAfterError('Run with --help for the commands and flags.')
    .addHelpText('after', '\nExit codes: 0 fine, 1 findings, 2 bad input, 3 a fault of the compiler itself.');
  for (const entry of COMMANDS) {
    addFlags(program.command(entry.name).summary(entry.summary).description(entry.summary), entry).action(
      async (raw: RawOptions) => {
        const options = readOptions(raw, io);
        const run = await entry.load();
        code = options.watch ? await watching(options, io, run) : await run(options, io);
      },
    );
  }
  const done = (given: ExitCode): void => {
    code = given;
  };
  for (const { load } of groupsFor(argv[0])) (await load())(program, io, done);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, io);
  }
}

function addFlags(command: Command, entry: Entry): Command {
  command
    .option('--schemas <dir>', 'contract folder (default: schemas)')
    .option('--json', 'print the result as JSON')
    .option('--cache-dir <dir>', 'where slow steps are remembered (default: node_modules/.cache/mcp-contract)')
    .option('--no-cache', 'remember nothing')
    .option('--out <dir>', 'output folder (default: generated)');
  if (entry.watches === true) command.option('--watch', 'run again whenever a contract changes');
  if (entry.tests === true) command.option('--tests <dir>', 'folder of the test tree (default: tests)');
  if (entry.lints === true) {
    command
      .addOption(new Option('--format <name>', 'form of the findings (default: text)').choices(LINT_FORMATS))
      .option('--rules', 'list every rule with its level, its sentence and its fixtures')
      .option('--fixtures <file>', 'fixtures that --rules looks at')
      .option('--fix', 'write the fixes that can mean nothing else into the contracts')
      .option('--dry-run', 'with --fix: print what would change and write nothing')
      .option('--max-warnings <count>', 'fail when more warnings are open; without it warnings never fail')
      .addHelpText('after', LINT_HELP);
  }
  if (entry.costs === true) {
    command
      .addOption(new Option('--view <name>', 'whose listing (default: account)').choices(['account', 'project']))
      .option('--peers', 'beside the figures of other published catalogues')
      .option('--savings', 'what would save most, with the tokens it saves')
      .addHelpText('after', '\nExit code 1 when a budget of server.yaml is passed.');
  }
  return command.allowExcessArguments(false);
}

async function watching(options: Options, io: Io, run: Run): Promise<ExitCode> {
  const [{ watchTree }, { figuresUnder }] = await Promise.all([import('./watch.ts'), import('../costs/figures.ts')]);
  const remembered = { memory: new Map(), figures: figuresUnder(options.schemas) };
  return watchTree(options, io, () => run({ ...options, remembered }, io));
}

function packageVersion(): string {
  // because a package description always has a version
  return (createRequire(import.meta.url)('overmind-mcp/package.json') as { version: string }).version;
}

function exitCodeOf(error: unknown, io: Io): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (isBadInput(error)) {
    io.err(`${error.message}\n`);
    return 2;
  }
  io.err(
    `mcp-contract failed by its own fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return 3;
}
