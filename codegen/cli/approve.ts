import { relative } from 'node:path';
import { approvalText, writeApproval } from '../approvals/write.ts';
import { reaches } from '../diff/diff.ts';
import { gate, todayOf, whereOf, type GateFlags } from './gate.ts';
import { BadInput, type ExitCode, type Io } from './io.ts';

export interface ApproveFlags extends GateFlags {
  readonly finding?: readonly string[];
  readonly all?: boolean;
  readonly reason: string;
  readonly owner: string;
  readonly migration?: string;
  readonly expires?: string;
  readonly link?: string;
  readonly name?: string;
}

export async function runApprove(range: string | undefined, flags: ApproveFlags, io: Io): Promise<ExitCode> {
  const { report } = await gate(range, flags, io);
  const open = report.findings.filter(
    ({ approved, rule }) => approved === undefined && !/^(?:approval|baseline|transitive)-/u.test(rule),
  );
  const wanted = flags.finding ?? [];
  if (wanted.length === 0 && flags.all !== true) throw new BadInput('Name findings with --finding, or give --all.');
  for (const prefix of wanted) {
    if (prefix.length < 8) throw new BadInput(`\`${prefix}\` is too short; give eight characters or more.`);
    const hits = open.filter(({ fingerprint }) => fingerprint.startsWith(prefix));
    if (hits.length !== 1) throw new BadInput(`\`${prefix}\` names ${hits.length} open findings.`);
  }
  const chosen = open.filter(({ fingerprint, verdict }) =>
    flags.all === true
      ? reaches(verdict, flags.failOn ?? 'breaking')
      : wanted.some((prefix) => fingerprint.startsWith(prefix)),
  );
  if (chosen.length === 0) throw new BadInput('There is no open finding to approve.');
  const date = todayOf(flags, io);
  const { reason, owner, migration, expires, link } = flags;
  const text = approvalText(chosen, {
    date,
    reason,
    owner,
    ...(migration === undefined ? {} : { migration }),
    ...(expires === undefined ? {} : { expires }),
    ...(link === undefined ? {} : { link }),
  });
  const [first] = chosen;
  const slug = (flags.name ?? first?.rule ?? 'change').toLowerCase().replaceAll(/[^a-z0-9]+/gu, '-');
  const path = writeApproval(whereOf(flags, io).schemas, `${date}-${slug}`, text);
  io.out(`${relative(io.cwd, path)} approves ${chosen.length} ${chosen.length === 1 ? 'finding' : 'findings'}.\n`);
  return 0;
}
