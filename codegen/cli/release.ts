import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { changelogEntry, prependEntry } from '../baseline/changelog.ts';
import type { GateResult } from '../baseline/gate.ts';
import { releasedVersions, releaseFile } from '../baseline/releases.ts';
import { loadSource, WORK_TREE } from '../baseline/sources.ts';
import { writeSnapshot } from '../baseline/snapshot.ts';
import { parseVersion } from '../diff/version.ts';
import { renderReport } from '../report/render.ts';
import { asking, gate, rootOf, todayOf, whereOf, type GateFlags } from './gate.ts';
import { BadInput, type ExitCode, type Io } from './io.ts';

export interface ReleaseFlags extends GateFlags {
  readonly changelog: string;
  readonly supportedUntil?: string;
}

export async function runChangelog(range: string | undefined, flags: GateFlags, io: Io): Promise<ExitCode> {
  const { report } = await gate(range, flags, io);
  io.out(changelogEntry(report, report.version.suggested, todayOf(flags, io)));
  return 0;
}

export async function runRelease(version: string, flags: ReleaseFlags, io: Io): Promise<ExitCode> {
  const where = whereOf(flags, io);
  if (parseVersion(version) === undefined) throw new BadInput(`\`${version}\` is no semantic version.`);
  const now = await asking(() => loadSource(WORK_TREE, where));
  const stated = now.surface.server.version;
  if (stated !== version) throw new BadInput(`server.yaml says ${stated}; write ${version} there first.`);
  const file = releaseFile(where.schemas, version);
  if (existsSync(file)) throw new BadInput(`${version} was released already; a release never changes.`);
  const first = releasedVersions(where.schemas).length === 0;
  const result = first ? undefined : await gate(undefined, { ...flags, judgeVersion: true }, io);
  if (result?.report.failed === true) {
    io.out(renderReport(result.report, 'terminal', { color: io.color, root: rootOf(where, io) }));
    io.err('Nothing was released.\n');
    return 1;
  }
  const approved = (result?.report.findings ?? []).flatMap((one) =>
    one.approved === undefined ? [] : [one.fingerprint],
  );
  const date = todayOf(flags, io);
  const until = flags.supportedUntil === undefined ? {} : { supportedUntil: flags.supportedUntil };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    writeSnapshot(now.surface, { version, date, ...until, approved: [...new Set(approved)].sort() }),
    {
      flag: 'wx',
    },
  );
  const changelog = resolve(io.cwd, flags.changelog);
  const old = existsSync(changelog) ? readFileSync(changelog, 'utf8') : '';
  writeFileSync(changelog, prependEntry(old, changelogEntry(result?.report, version, date)));
  const cleared = clearSettled(result, where.schemas);
  io.out(`${relative(io.cwd, file)} and ${relative(io.cwd, changelog)} hold ${version}.\n`);
  for (const path of cleared) io.out(`${relative(io.cwd, path)} is settled and removed.\n`);
  return 0;
}

/** Approvals that the release has used up would be unused from the next comparison on. */
function clearSettled(result: GateResult | undefined, schemas: string): string[] {
  if (result === undefined) return [];
  const used = new Set(
    result.report.findings.flatMap(({ approved }) => (approved === undefined ? [] : [approved.change])),
  );
  const paths = result.now.changes
    .filter(({ name }) => used.has(name))
    .map(({ name }) => join(schemas, 'changes', `${name}.yaml`));
  for (const path of paths) rmSync(path);
  return paths;
}
