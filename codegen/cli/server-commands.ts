/** The commands that read servers and reports: their flags. What they do is loaded when one of them runs. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { LEGACY, MODERN, type Revision } from '../pull/session.ts';
import type { ExitCode, Io } from './io.ts';
import type { ExportFlags, ImportFlags, PullFlags, ReportFlags, VerifyFlags } from './server-flags.ts';

/** The flags with which every command that reads a live server says who asks and how patient it is. */
function addTargetFlags(command: Command): Command {
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

const PULL_HELP = `
Examples:
  mcp-contract pull https://host/mcp --header 'Authorization: Bearer …' --out server.snapshot.json
  mcp-contract pull https://host/mcp --grant 'reader=X-Api-Key: …' --grant 'writer=X-Api-Key: …'
  mcp-contract pull --stdio -- npx some-server --flag

Only listings are asked for: nothing is called, and no address the server names is visited. Give the snapshot to
"mcp-contract diff".

Exit codes: 0 written, 2 the server cannot be read or a flag is wrong, 3 a fault of the command itself.`;

const VERIFY_HELP = `
A credential is named after the grant of the contract that it stands for: --grant 'project/read=X-Api-Key: …'.

Exit codes: 0 the server is what the contract says, 1 findings, 2 the server or the contract cannot be read, 3 a
fault of the command itself.`;

const FORMATS = ['text', 'json', 'markdown', 'html', 'sarif', 'junit', 'github'];

/** Adds `pull`, `verify`, `import`, `export` and `report`; `done` takes the exit code. */
export function registerServers(program: Command, io: Io, done: (code: ExitCode) => void): void {
  addTargetFlags(program.command('pull').summary('write the surface of a live server down as a snapshot'))
    .description('Reads the tools, resources, templates and prompts of a live MCP server into a snapshot.')
    .argument('[server...]', 'address of the server, or its command after --')
    .option('--stdio', 'the server is a command that speaks over its standard streams')
    .option('--out <file>', 'where to write the snapshot (default: standard output)')
    .addHelpText('after', PULL_HELP)
    .action(async (server: readonly string[], flags: PullFlags) => {
      const { runPull } = await import('./pull.ts');
      done(await runPull(server, flags, io));
    });
  addTargetFlags(program.command('verify').summary('hold a live server against its contract'))
    .description('Compares what a live server shows to each grant in each revision with what its contract publishes.')
    .requiredOption('--url <address>', 'address of the server')
    .option('--schemas <dir>', 'contract folder (default: schemas)')
    .addOption(new Option('--format <name>', 'form of the report').choices(FORMATS).default('text'))
    .option('--output <file>', 'write the report there instead of to the terminal')
    .addOption(
      new Option('--fail-on <verdict>', 'least verdict that fails')
        .choices(['breaking', 'risky', 'notice'])
        .default('notice'),
    )
    .addHelpText('after', VERIFY_HELP)
    .allowExcessArguments(false)
    .action(async (flags: VerifyFlags) => {
      const { runVerify } = await import('./verify.ts');
      done(await runVerify(flags, io));
    });
  program
    .command('import')
    .summary('turn an MCP Description into a snapshot')
    .description('Reads an MCP Description 0.8.0 document (JSON or YAML) into a snapshot for diff.')
    .argument('<file>', 'the document')
    .option('--out <file>', 'where to write the snapshot (default: standard output)')
    .allowExcessArguments(false)
    .action(async (file: string, flags: ImportFlags) => {
      const { runImport } = await import('./mcpdesc.ts');
      done(runImport(file, flags, io));
    });
  program
    .command('export')
    .summary('describe the contracts as an MCP Description')
    .description('Writes what one grant is shown as an MCP Description 0.8.0 document.')
    .argument('[source]', 'contract folder, commit, release or snapshot (default: the work tree)')
    .option('--schemas <dir>', 'contract folder (default: schemas)')
    .option('--grant <name>', 'whose listing is described (default: the widest)')
    .option('--url <address>', 'address of the server, written as its transport')
    .option('--yaml', 'write YAML instead of JSON')
    .option('--out <file>', 'where to write the document (default: standard output)')
    .allowExcessArguments(false)
    .action(async (source: string | undefined, flags: ExportFlags) => {
      const { runExport } = await import('./mcpdesc.ts');
      done(await runExport(source, flags, io));
    });
  program
    .command('report')
    .summary('turn a JSON report into another form')
    .description('Renders the JSON report of one comparison for another reader, without comparing again.')
    .argument('<report>', 'file that diff or verify wrote with --format json')
    .addOption(new Option('--format <name>', 'form of the report').choices(FORMATS).default('text'))
    .option('--output <file>', 'write the report there instead of to the terminal')
    .option('--all <dir>', 'write it there as .html, .md, .sarif and .xml, under its own name')
    .option('--root <dir>', 'contract folder as seen from the top of the repository', 'schemas')
    .allowExcessArguments(false)
    .action(async (file: string, flags: ReportFlags) => {
      const { runReport } = await import('./render.ts');
      done(runReport(file, flags, io));
    });
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
