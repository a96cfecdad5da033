/** Compares two surfaces by every rule and says what came of it. */
import { applyApprovals } from '../approvals/apply.ts';
import { isJsonObject } from '../canonical/json.ts';
import type { JsonValue } from '../model/types.ts';
import { compareScopeVocabulary } from './compare/authorisation.ts';
import { compareBodies } from './compare/bodies.ts';
import { compareErrors } from './compare/errors.ts';
import { compareJobs } from './compare/jobs.ts';
import { compareTombstones } from './compare/lifecycle.ts';
import { compareProfiles } from './compare/profiles.ts';
import { comparePrompts } from './compare/prompts.ts';
import { compareSuspicions } from './compare/prose.ts';
import { compareResources } from './compare/resources.ts';
import { compareEndpoints, compareServer, compareViews } from './compare/server.ts';
import { compareSource } from './compare/source.ts';
import { compareTokens } from './compare/tokens.ts';
import { compareAliasShadows, compareTools } from './compare/tools.ts';
import type { DiffReport, EntityChange, Finding, Side } from './finding.ts';
import { gather } from './gather.ts';
import type { LoadedSurface } from './loaded.ts';
import { RULE_SETS } from './rule-sets.ts';
import type { RuleSet, Verdict } from './rules/rule.ts';
import type { Draft, Scene } from './scene.ts';
import type { Surface } from './surface/types.ts';
import { asListed } from './surface/listed.ts';
import { adviseVersion, versionFault } from './version.ts';

export interface DiffOptions {
  /** ISO date. */
  readonly today: string;
  readonly failOn?: 'breaking' | 'risky' | 'notice';
  /** The widest set that counts; `agent` when absent. */
  readonly rules?: RuleSet;
  /** Whether a version that says too little is a finding. */
  readonly judgeVersion?: boolean;
  /** Findings about the comparison itself: a baseline that was altered, or none. */
  readonly about?: readonly Draft[];
  /** Fingerprints that a release in between has already approved. */
  readonly settled?: readonly string[];
}

const SEVERITY: Readonly<Record<Verdict, number>> = { breaking: 3, unknown: 2, risky: 2, notice: 1, safe: 0 };
const SHOWN_ORDER: readonly Verdict[] = ['breaking', 'unknown', 'risky', 'notice', 'safe'];
const THRESHOLD = { breaking: 3, risky: 2, notice: 1 } as const;

/** How many schemas differed, and how many of them the prover gave up on. */
export interface Effort {
  readonly asked: number;
  readonly undecided: number;
}

export interface Comparison {
  readonly report: DiffReport;
  readonly effort: Effort;
}

export async function diff(old: LoadedSurface, now: LoadedSurface, options: DiffOptions): Promise<DiffReport> {
  return (await compare(old, now, options)).report;
}

export async function compare(old: LoadedSurface, now: LoadedSurface, options: DiffOptions): Promise<Comparison> {
  const { before, after } = commonGround(old.surface, now.surface);
  const drafts: Draft[] = [];
  const scene = { before, after, today: options.today, report: (draft: Draft): void => void drafts.push(draft) };
  const changed = old.digest !== now.digest;
  const comparison = changed ? compareAll(scene, isChecked(old) && isChecked(now)) : undefined;
  const tokens = changed ? await compareTokens(scene) : { before: 0, after: 0, changes: [] };
  const sets = RULE_SETS.slice(0, RULE_SETS.indexOf(options.rules ?? 'agent') + 1);
  const ends = { before: { ...old, surface: before }, after: { ...now, surface: after } };
  const found = gather(drafts, ends).filter(({ sets: hurt }) => hurt.some((set) => sets.includes(set)));
  const version = adviseVersion({ before: before.server.version, after: after.server.version }, found, changed);
  const fault = options.judgeVersion === true ? versionFault(version) : undefined;
  const judged = gather(
    [...(fault === undefined ? [] : [versionDraft(fault, version)]), ...(options.about ?? [])],
    ends,
  );
  const approved = applyApprovals([...found, ...judged], {
    before: old.changes,
    after: now.changes,
    today: options.today,
    settled: options.settled ?? [],
    locate: now.locate,
  });
  const report = reportOf(ends, sort(approved), { sets, failOn: options.failOn ?? 'breaking' });
  return {
    report: { ...report, version, tokens, entities: changed ? changedEntities(before, after) : [] },
    effort: comparison ?? { asked: 0, undecided: 0 },
  };
}

/** A contract is held against a running server by what it would list there. */
function commonGround(old: Surface, now: Surface): { before: Surface; after: Surface } {
  if (old.origin === now.origin) return { before: old, after: now };
  const listed = (surface: Surface, other: Surface): Surface =>
    surface.origin === 'server' ? surface : asListed(surface, other);
  return { before: listed(old, now), after: listed(now, old) };
}

/** The compiler has checked the schemas of a contract; those of a server, or of a file that was altered, nobody has. */
function isChecked(one: LoadedSurface): boolean {
  return one.surface.origin === 'contracts' && !('intact' in one && one.intact === false);
}

function compareAll(scene: Scene, checked: boolean): Effort {
  compareServer(scene);
  compareTools(scene);
  compareAliasShadows(scene);
  compareResources(scene);
  comparePrompts(scene);
  compareJobs(scene);
  compareErrors(scene);
  compareScopeVocabulary(scene);
  compareEndpoints(scene);
  compareTombstones(scene);
  compareSuspicions(scene);
  compareProfiles(scene);
  compareSource(scene);
  compareViews(scene);
  return compareBodies(scene, checked).counts;
}

function versionDraft(fault: { rule: string; message: string }, version: { before: string; after: string }): Draft {
  return { ...fault, entity: 'server', path: '/version', before: version.before, after: version.after };
}

function sort(findings: readonly Finding[]): Finding[] {
  const key = ({ verdict, entity, path, rule, fingerprint }: Finding): string =>
    [SHOWN_ORDER.indexOf(verdict), entity, path, rule, fingerprint].join('\n');
  return findings.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Whether a verdict reaches the threshold; what is not decided counts as risky. */
export function reaches(verdict: Verdict, failOn: keyof typeof THRESHOLD): boolean {
  return SEVERITY[verdict] >= THRESHOLD[failOn];
}

type Frame = Omit<DiffReport, 'version' | 'tokens' | 'entities'>;

function reportOf(
  ends: { before: LoadedSurface; after: LoadedSurface },
  findings: readonly Finding[],
  { sets, failOn }: Pick<DiffReport, 'sets' | 'failOn'>,
): Frame {
  const open = findings.filter(({ approved }) => approved === undefined);
  const count = (verdict: Verdict): number => open.filter((one) => one.verdict === verdict).length;
  return {
    before: sideOf(ends.before),
    after: sideOf(ends.after),
    findings,
    counts: {
      breaking: count('breaking'),
      unknown: count('unknown'),
      risky: count('risky'),
      notice: count('notice'),
      safe: count('safe'),
    },
    approved: findings.length - open.length,
    failOn,
    sets,
    failed: open.some(({ verdict }) => reaches(verdict, failOn)),
  };
}

function sideOf({ label, surface, digest }: LoadedSurface): Side {
  return { label, version: surface.server.version, digest, origin: surface.origin };
}

/** Contracts that differ in any way, for a reader to lay side by side. */
function changedEntities(before: Surface, after: Surface): EntityChange[] {
  const [old, now] = [contracts(before), contracts(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names.flatMap((entity): EntityChange[] => {
    const [was, is] = [old.get(entity), now.get(entity)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return [{ entity, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }];
  });
}

const KINDS = ['tool', 'resource', 'prompt', 'job', 'error', 'scope', 'endpoint', 'profile'] as const;

function contracts(surface: Surface): Map<string, JsonValue> {
  // because a surface is JSON; the round trip drops members that are undefined
  const plain = JSON.parse(JSON.stringify(surface)) as { readonly [key: string]: JsonValue };
  const found = new Map<string, JsonValue>([['server', plain['server'] ?? null]]);
  for (const kind of KINDS) {
    const list = plain[`${kind}s`];
    if (!isJsonObject(list)) continue;
    for (const [name, one] of Object.entries(list)) {
      const { published: _, ...authored } = isJsonObject(one) ? one : {};
      found.set(`${kind} ${name}`, authored);
    }
  }
  for (const [name, { entity, schema }] of Object.entries(surface.definitions)) {
    const key = entity.startsWith('model ') ? entity : `${entity} (${name})`;
    found.set(key, typeof schema === 'boolean' ? schema : { ...schema });
  }
  return found;
}
