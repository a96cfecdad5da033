/** The commands of the gate: their flags. What they do is loaded when one of them runs. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { RULE_SETS } from '../diff/rule-sets.ts';
import type { ApproveFlags } from './approve.ts';
import type { DiffFlags } from './diff.ts';
import type { GateFlags } from './gate.ts';
import type { ExitCode, Io } from './io.ts';
import type { ReleaseFlags } from './release.ts';

const FORMATS = ['text', 'json', 'markdown', 'html', 'sarif', 'junit', 'github'];

const RANGE_HELP = `
A and B are git refs, released versions, folders, snapshots or addresses of servers. A..B compares the two, A...B
starts where B left A, A alone is compared with the work tree. Without any, the work tree is compared with the newest
release under releases/ and with every older one that is still supported.`;

const EXIT_HELP = `
Exit codes: 0 nothing at or above --fail-on (default: breaking), 1 findings, 2 bad input, 3 a fault of the command
itself. What cannot be decided counts as risky. Each set of rules holds those before it: wire, client, policy, agent
(default), source.`;

/** Adds `diff`, `approve`, `changelog` and `release`; `done` takes the exit code. */
export function registerGate(program: Command, io: Io, done: (code: ExitCode) => void): void {
  gateFlags(program.command('diff').summary('say what a change of the contracts breaks'))
    .description('Compares two published surfaces by every rule of the gate.')
    .addOption(new Option('--format <name>', 'form of the report').choices(FORMATS).default('text'))
    .option('--output <file>', 'write the report there instead of to the terminal')
    .addHelpText('after', EXIT_HELP)
    .action(async (range: string | undefined, flags: DiffFlags) => {
      const { runDiff } = await import('./diff.ts');
      done(await runDiff(range, flags, io));
    });
  gateFlags(program.command('approve').summary('write the approval of a finding under changes/'))
    .description('Compares as diff does and approves the findings that are named by their fingerprint.')
    .option('--finding <fingerprint>', 'its first eight characters or more; give it again for more', collect)
    .option('--all', 'every open finding at or above --fail-on')
    .requiredOption('--reason <text>', 'why callers must live with it')
    .requiredOption('--owner <name>', 'who answers for it')
    .option('--migration <text>', 'what callers do')
    .option('--expires <date>', 'day after which it no longer counts', readDay)
    .option('--link <address>', 'where it was discussed')
    .option('--name <slug>', 'name of the file after its date')
    .action(async (range: string | undefined, flags: ApproveFlags) => {
      const { runApprove } = await import('./approve.ts');
      done(await runApprove(range, flags, io));
    });
  gateFlags(program.command('changelog').summary('print the changelog entry a change makes'))
    .description('Prints what callers will read about the change, as Markdown.')
    .action(async (range: string | undefined, flags: GateFlags) => {
      const { runChangelog } = await import('./release.ts');
      done(await runChangelog(range, flags, io));
    });
  program
    .command('release')
    .summary('write down what this version promises')
    .description('Writes the snapshot and the changelog entry of a release, and clears approvals that it settles.')
    .argument('<version>', 'the version in server.yaml')
    .option('--schemas <dir>', 'contract folder (default: schemas)')
    .option('--changelog <file>', 'changelog to add to', 'CHANGELOG.md')
    .option('--supported-until <date>', 'day until which callers of this release are kept working', readDay)
    .option('--today <date>', 'date of the release', readDay)
    .allowExcessArguments(false)
    .action(async (version: string, flags: ReleaseFlags) => {
      const { runRelease } = await import('./release.ts');
      done(await runRelease(version, flags, io));
    });
}

function gateFlags(command: Command): Command {
  return command
    .argument('[range]', 'A..B, A...B or A')
    .option('--schemas <dir>', 'contract folder (default: schemas)')
    .option('--against <source>', 'a baseline; give it again for more', collect)
    .option('--header <line>', 'header for every server that is read, "Name: value"', collect)
    .option('--grant <line>', 'a kind of credential to list with, "name=Name: value"; give it again for more', collect)
    .addOption(new Option('--fail-on <verdict>', 'least verdict that fails').choices(['breaking', 'risky', 'notice']))
    .addOption(new Option('--rules <set>', 'widest set of rules that counts').choices(RULE_SETS))
    .option('--judge-version', 'hold the version against the changes')
    .option('--today <date>', 'the day to judge sunsets and expiries by', readDay)
    .addHelpText('after', RANGE_HELP)
    .allowExcessArguments(false);
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function readDay(value: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(value) || Number.isNaN(Date.parse(value))) {
    throw new InvalidArgumentError('Give a day as YYYY-MM-DD.');
  }
  return value;
}
