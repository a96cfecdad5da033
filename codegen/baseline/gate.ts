/** One run of the gate: what is compared with what, and what several baselines say together. */
import { compare, reaches, type DiffOptions } from '../diff/diff.ts';
import type { DiffReport, Finding } from '../diff/finding.ts';
import type { LoadedSurface } from '../diff/loaded.ts';
import { ruleOf } from '../diff/rules/index.ts';
import type { Draft } from '../diff/scene.ts';
import { compareVersions } from '../diff/version.ts';
import { findCommit, GitFault, mergeBase } from './git.ts';
import { readRange } from './range.ts';
import { supportedReleases } from './releases.ts';
import { loadSource, SourceFault, WORK_TREE, type Where } from './sources.ts';

export interface GateRequest {
  /** `A..B`, `A...B` for the point where B left A, or `A` for A and the work tree. */
  readonly range?: string;
  /** Further baselines for the work tree, or for B. */
  readonly against?: readonly string[];
}

export type GateOptions = Omit<DiffOptions, 'settled' | 'about'>;

export interface GateResult {
  /** Against the first baseline, with what only older ones show. */
  readonly report: DiffReport;
  readonly now: LoadedSurface;
  readonly baselines: readonly LoadedSurface[];
  readonly asked: number;
  readonly undecided: number;
}

export async function runGate(request: GateRequest, given: Where, options: GateOptions): Promise<GateResult> {
  const where = { memory: new Map(), ...given };
  const { names, head } = endsOf(request, where);
  const now = await loadSource(head, where);
  const baselines = names.length > 0 ? await loadAll(names, where) : supportedReleases(where.schemas, options.today);
  const [first, ...older] = baselines;
  if (first === undefined) return withoutBaseline(now, options);
  const main = await compare(first, now, {
    ...options,
    settled: settledSince(first, baselines),
    about: tampered(first),
  });
  let { report } = main;
  let { asked, undecided } = main.effort;
  for (const baseline of older) {
    const about = tampered(baseline);
    const other = await compare(baseline, now, { ...options, settled: settledSince(baseline, baselines), about });
    report = withOlder(report, other.report);
    asked += other.effort.asked;
    undecided += other.effort.undecided;
  }
  return { report, now, baselines, asked, undecided };
}

async function loadAll(names: readonly string[], where: Where): Promise<LoadedSurface[]> {
  const loaded: LoadedSurface[] = [];
  for (const name of names) loaded.push(await loadSource(name, where));
  return loaded;
}

/** Baselines first to last, and what is held against them. */
function endsOf({ range, against = [] }: GateRequest, where: Where): { names: string[]; head: string } {
  if (range === undefined) return { names: [...against], head: WORK_TREE };
  const ends = readRange(range, where.cwd);
  if (ends === undefined) return { names: [range, ...against], head: WORK_TREE };
  const head = ends.to === '' ? WORK_TREE : ends.to;
  const base = ends.from === '' ? 'HEAD' : ends.from;
  if (!ends.forked) return { names: [base, ...against], head };
  return { names: [forkPoint(base, ends.to === '' ? 'HEAD' : ends.to, where), ...against], head };
}

function forkPoint(a: string, b: string, { cwd }: Where): string {
  if (findCommit(cwd, a) === undefined || findCommit(cwd, b) === undefined) {
    throw new SourceFault(`\`${a}...${b}\` needs two commits.`);
  }
  try {
    return mergeBase(cwd, a, b);
  } catch (error) {
    if (!(error instanceof GitFault)) throw error;
    throw new SourceFault(`\`${a}\` and \`${b}\` have no common commit here; a shallow clone may lack it.`);
  }
}

/** Changes that a release after this baseline was allowed to make. */
function settledSince({ release }: LoadedSurface, all: readonly LoadedSurface[]): string[] {
  if (release === undefined) return [];
  return all.flatMap((one) =>
    one.release !== undefined && compareVersions(one.release.version, release.version) > 0 ? one.release.approved : [],
  );
}

function tampered(baseline: LoadedSurface): Draft[] {
  if (!('intact' in baseline) || baseline.intact === true) return [];
  const message = `${baseline.label} is not what its digest was made of.`;
  return [{ rule: 'baseline-tampered', entity: `baseline ${baseline.label}`, message, after: baseline.digest }];
}

async function withoutBaseline(now: LoadedSurface, options: GateOptions): Promise<GateResult> {
  const message = 'There is no release to compare with.';
  const about = [{ rule: 'baseline-missing', entity: 'server', message }];
  const { report } = await compare(now, now, { ...options, about });
  return { report, now, baselines: [], asked: 0, undecided: 0 };
}

/** Adds what an older baseline shows and the newer one does not. */
function withOlder(report: DiffReport, older: DiffReport): DiffReport {
  const known = new Set(report.findings.map(({ fingerprint }) => fingerprint));
  const { label } = older.before;
  const extra = older.findings
    .filter((one) => one.approved === undefined && !known.has(one.fingerprint) && !one.rule.startsWith('approval-'))
    .filter(({ verdict }) => verdict !== 'notice')
    .map((one): Finding => ({ ...one, baseline: label }));
  if (extra.length === 0) return report;
  const breaking = extra.filter(({ verdict }) => verdict === 'breaking').length;
  const added = breaking === 0 ? extra : [...extra, transitive(label, breaking)];
  const counts = { ...report.counts };
  for (const { verdict } of added) counts[verdict] += 1;
  const failed = report.failed || added.some(({ verdict }) => reaches(verdict, report.failOn));
  return { ...report, findings: [...report.findings, ...added], counts, failed };
}

function transitive(label: string, breaks: number): Finding {
  const { rationale, migration, sets, verdict, id } = ruleOf('transitive-break');
  return {
    rule: id,
    verdict,
    sets,
    entity: `baseline ${label}`,
    path: '',
    message: `${label} is still supported, and ${breaks} ${breaks === 1 ? 'change breaks' : 'changes break'} it.`,
    views: [],
    uses: [],
    cacheLag: false,
    security: false,
    stability: 'stable',
    rationale,
    migration,
    fingerprint: '',
    baseline: label,
  };
}
