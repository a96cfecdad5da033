import { relative, resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { checkTree, hasErrors } from './compile-tree.ts';
import { BadInput, type ExitCode, type Io } from './io.ts';
import { readOptions } from './options.ts';
import { plural, printDiagnostics } from './report.ts';

export interface MockFlags {
  readonly schemas?: string;
  readonly host: string;
  readonly port: number;
  readonly seed: string;
  readonly latency: number;
  readonly rows: number;
  readonly jobSeconds: number;
  readonly grant: 'account' | 'project';
  readonly outputSchema: 'compact' | 'full' | 'none';
  readonly record?: string;
}

const HELP = `
The server speaks the handshake revisions and 2026-07-28 on every path. An example of the contract answers where its
arguments are the ones sent, otherwise values are made up from the schema: the same ones for the same seed and call.

A caller gets any error a tool declares with the header X-Mock-Error: CODE, or with "mcp-contract/error": CODE in
_meta of the call; a code the tool does not declare is refused with those it does. A resource answers its errors the
same way. X-Mock-Latency: MILLISECONDS delays one answer. Lists have --rows rows over all pages. Jobs walk
through their statuses within --job-seconds; one that nobody started begins when it is first asked for.
--record writes each call and its answer to DIR/<tool>/<digest of the arguments>.json.`;

/** Adds `mock`; `done` takes the exit code. */
export function registerMock(program: Command, io: Io, done: (code: ExitCode) => void): void {
  program
    .command('mock')
    .summary('serve the contracts with made-up answers')
    .description('Serves the contracts with made-up answers: no database, no code behind it.')
    .option('--schemas <dir>', 'contract folder (default: schemas)')
    .option('--host <name>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on, 0 for any', readCount, 4010)
    .option('--seed <text>', 'what made-up values depend on', 'mock')
    .option('--latency <ms>', 'pause before every answer', readCount, 0)
    .option('--rows <count>', 'rows of a list over all its pages', readCount, 45)
    .option('--job-seconds <count>', 'seconds a job takes', readCount, 6)
    .addOption(new Option('--grant <kind>', 'whose lists are shown').choices(['account', 'project']).default('project'))
    .addOption(
      new Option('--output-schema <form>', 'form of the published result schemas')
        .choices(['compact', 'full', 'none'])
        .default('compact'),
    )
    .option('--record <dir>', 'write every call as a fixture there')
    .addHelpText('after', HELP)
    .allowExcessArguments(false)
    .action(async (flags: MockFlags) => done(await runMock(flags, io)));
}

/** Serves until the process is asked to stop. */
async function runMock(flags: MockFlags, io: Io): Promise<ExitCode> {
  const { schemas } = readOptions(flags.schemas === undefined ? {} : { schemas: flags.schemas }, io);
  const { parts, diagnostics } = await checkTree(schemas);
  if (parts === undefined || hasErrors(diagnostics)) {
    printDiagnostics(diagnostics, schemas, io);
    return 1;
  }
  const { Mock } = await import('../mock/mock.ts');
  const { serve } = await import('../mock/serve.ts');
  const { recordInto } = await import('../mock/record.ts');
  const { seed, rows, jobSeconds, grant, outputSchema, host, port, latency: latencyMs } = flags;
  const record = flags.record === undefined ? {} : { record: recordInto(resolve(io.cwd, flags.record)) };
  const now = io.now ?? ((): Date => new Date());
  const mock = new Mock(parts.canonical, parts.projection, {
    seed,
    rows,
    jobSeconds,
    grant,
    outputSchema,
    now,
    ...record,
  });
  const serving = await serve(mock, { host, port, latencyMs }).catch((error: unknown) => {
    throw new BadInput(`Cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`);
  });
  const { tools, server } = parts.model;
  io.out(`${server.title} ${server.version}, made up from ${relative(io.cwd, schemas) || '.'}: ${serving.url}\n`);
  io.err(`${plural(tools.length, 'tool')}; X-Mock-Error: CODE asks for an error; press Ctrl+C to stop.\n`);
  await new Promise<void>((stopped) => io.onStop(stopped));
  await serving.close();
  return 0;
}

function readCount(value: string): number {
  const count = Number(value);
  if (!Number.isSafeInteger(count) || count < 0) throw new InvalidArgumentError('Give a whole number of at least 0.');
  return count;
}
