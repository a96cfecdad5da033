import { Command, Option } from 'commander';
import { packageVersion } from '../kernel/package-version.ts';
import type { Terminal } from '../kernel/terminal.ts';
import type { ExportOptions } from './commands/export.ts';
import type { ListOptions } from './commands/list.ts';
import type { QueryOptions } from './commands/query.ts';
import { openSession, type GlobalOptions, type Session } from './commands/session.ts';
import type { UploadOptions } from './commands/upload.ts';
import type { Environment } from './connection.ts';
import { EXIT, explain, type ExitCode } from './explain.ts';

/** Where the command runs. */
interface Place {
  readonly terminal: Terminal;
  readonly environment: Environment;
}

const HELP = `
Settings
  OVERMIND_API_KEY   the key; or --key-file with a file that holds it, such as .data/first-run.json
  OVERMIND_URL       the server; http://127.0.0.1:8000 when absent
  OVERMIND_PROJECT   id, slug or name of the project; not needed while the key reaches only one

Exit codes: 0 done, 1 refused or failed, 2 wrong command, 3 server not reached, 4 own fault.`;

/** Runs one command to its end and answers the exit code. Each command loads its own code, so that help costs nothing. */
export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  try {
    await program({ terminal, environment }).parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return explain(error, terminal);
  }
}

function program(place: Place): Command {
  const { terminal } = place;
  const root = new Command('overmind')
    .description('Datasets of an Overmind server from the command line: files in, files out, and what lies between.')
    .version(packageVersion(), '--version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.remark(text.trimEnd()),
    })
    .showHelpAfterError('Run overmind --help for the commands and settings.')
    .addHelpText('after', HELP);
  const dataset = root.command('dataset').description('Datasets: rows for training and evaluation, in versions.');
  addTransfer(dataset, place);
  addReading(dataset, place);
  addPreparing(dataset, place);
  return root;
}

function addTransfer(dataset: Command, place: Place): void {
  withConnection(dataset.command('upload <files...>'))
    .description('Send .csv, .tsv, .json, .jsonl, .ndjson or .parquet files, at most 100 and 2 GiB, as one dataset.')
    .option('--name <name>', 'name of the dataset; the first file’s when absent')
    .addOption(
      new Option('--intent <use>', 'what it is for; proposed from the rows when absent').choices(['train', 'eval']),
    )
    .option('--split <percent>', 'make a training and an evaluation dataset, with this share for evaluation')
    .addOption(new Option('--position <where>', 'which rows --split takes').choices(['head', 'tail', 'random']))
    .option('--group-by <columns...>', 'with --split: rows equal in these stay together')
    .option('--stratify-by <column>', 'with --split: keep the shares of its values')
    .option('--keep-duplicates', 'with --split: do not drop repeated rows first')
    .option('--capability <reference>', 'id, slug or name of the capability it belongs to')
    .option('--no-wait', 'end as soon as the files are there')
    .addHelpText('after', '\nRun the same command again after an interruption: it goes on where it stopped.')
    .action((files: string[], options: UploadOptions & GlobalOptions) =>
      run(place, options, async (session) =>
        (await import('./commands/upload.ts')).uploadDataset(session, files, options),
      ),
    );
  withConnection(dataset.command('export <dataset>'))
    .description('Store the rows of a version as a file; one that exists is never written over.')
    .addOption(new Option('--format <format>', 'jsonl when absent').choices(['jsonl', 'csv', 'parquet']))
    .option('--cell <version>', 'another version than the one in use, by number or id')
    .option('--output <file>', 'where to; a name made from dataset and version when absent')
    .action((name: string, options: ExportOptions & GlobalOptions) =>
      run(place, options, async (session) =>
        (await import('./commands/export.ts')).exportDataset(session, name, options),
      ),
    );
}

function addReading(dataset: Command, place: Place): void {
  withConnection(dataset.command('list'))
    .description('List the datasets of the project.')
    .option('--search <text>', 'only those whose name contains this')
    .addOption(new Option('--intent <use>', 'only those for this use').choices(['train', 'eval', 'pending']))
    .action(({ search, intent, ...options }: ListOptions & GlobalOptions) =>
      run(place, options, async (session) =>
        (await import('./commands/list.ts')).listDatasets(session, {
          ...(search !== undefined && { search }),
          ...(intent !== undefined && { intent }),
        }),
      ),
    );
  withConnection(dataset.command('show <dataset>'))
    .description('Versions, columns and types, findings, chat and open proposals of one dataset.')
    .action((name: string, options: GlobalOptions) =>
      run(place, options, async (session) => (await import('./commands/show.ts')).showDataset(session, name)),
    );
  withConnection(dataset.command('query <dataset> <sql>'))
    .description('Run one SELECT over the rows, which are called t, in the dialect of DuckDB.')
    .option('--cell <version>', 'another version than the one in use')
    .option('--limit <rows>', 'most rows, up to 100')
    .action((name: string, sql: string, options: QueryOptions & GlobalOptions) =>
      run(place, options, async (session) =>
        (await import('./commands/query.ts')).queryDataset(session, { dataset: name, sql }, options),
      ),
    );
}

function addPreparing(dataset: Command, place: Place): void {
  withConnection(dataset.command('step <dataset> <title> <sql>'))
    .description('Make a version by one SELECT over the last one.')
    .action((name: string, title: string, sql: string, options: GlobalOptions) =>
      run(place, options, async (session) =>
        (await import('./commands/prepare.ts')).addStep(session, { dataset: name, title, sql }),
      ),
    );
  withConnection(dataset.command('message <dataset> <text>'))
    .description('Ask the agent of the dataset to prepare it; it proposes, you decide.')
    .option('--yes', 'do not ask whether a language model may be paid for')
    .action((name: string, message: string, options: { yes?: true } & GlobalOptions) =>
      run(place, options, async (session) =>
        (await import('./commands/prepare.ts')).messageAgent(session, { dataset: name, message }, options),
      ),
    );
  for (const decision of ['approve', 'deny'] as const) {
    withConnection(dataset.command(`${decision} <dataset> <proposal>`))
      .description(decision === 'approve' ? 'Compute a proposed version and use it.' : 'Discard a proposed version.')
      .action((name: string, proposal: string, options: GlobalOptions) =>
        run(place, options, async (session) =>
          (await import('./commands/prepare.ts')).decideProposal(session, { dataset: name, proposal }, decision),
        ),
      );
  }
}

function withConnection(command: Command): Command {
  return command
    .option('--url <address>', 'the server')
    .option('--project <reference>', 'the project')
    .option(
      '--key-file <file>',
      'file that holds the key; an address and project in it go before those of the environment',
    )
    .option('--json', 'print one JSON value instead of text');
}

async function run(
  { terminal, environment }: Place,
  options: GlobalOptions,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const session = openSession({ terminal, environment }, options);
  try {
    await work(session);
  } finally {
    session.progress.end();
  }
}
