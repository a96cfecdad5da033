import { diff } from '../diff/diff.ts';
import type { DiffReport, EntityChange, Finding } from '../diff/finding.ts';
import { fingerprintOf } from '../diff/fingerprint.ts';
import { digestOf, type LoadedSurface } from '../diff/loaded.ts';
import { viewName } from '../diff/surface/views.ts';
import type { Pulled } from './pull.ts';
import { surfaceOf, type GrantListing } from './to-surface.ts';

export interface Verification {
  readonly contract: LoadedSurface;
  readonly pulled: Pulled;
  /** The address, for the report. */
  readonly label: string;
  /** ISO date. */
  readonly today: string;
  readonly failOn: DiffReport['failOn'];
  /** The hash of the contract, and the one the server tells; either may be unknown. */
  readonly hash: { readonly expected: string; readonly told: string | undefined };
}

/**
 * Holds a live server against its contract: what each grant is shown in each revision must be what the contract
 * publishes to it. Any difference is drift, in whichever direction.
 */
export async function verify(request: Verification): Promise<DiffReport> {
  const { contract, pulled, label, today, failOn } = request;
  const reports: DiffReport[] = [];
  for (const one of pulled.listings) {
    const { surface } = surfaceOf([one]);
    const live: LoadedSurface = { label, surface, digest: digestOf(surface), changes: [] };
    const report = await diff(contract, live, { today, failOn });
    reports.push({ ...report, findings: report.findings.map((finding) => ({ ...finding, views: [viewOf(one)] })) });
  }
  const [first] = reports;
  if (first === undefined) throw new RangeError('a server that was read has at least one listing');
  const findings = [...hashFindings(request), ...merge(reports.flatMap((report) => report.findings))];
  const count = (verdict: Finding['verdict']): number => findings.filter((one) => one.verdict === verdict).length;
  const counts = {
    breaking: count('breaking'),
    risky: count('risky'),
    unknown: count('unknown'),
    notice: count('notice'),
    safe: count('safe'),
  };
  const stops =
    failOn === 'notice' ? findings.length : counts.breaking + (failOn === 'risky' ? counts.risky + counts.unknown : 0);
  return {
    ...first,
    before: { ...first.before, digest: contract.digest },
    after: { ...first.after, digest: digestOf(pulled.surface) },
    findings,
    counts,
    failed: stops > 0,
    version: { ...first.version, required: 'none' },
    entities: entitiesOf(reports),
  };
}

function viewOf({ grant, listing }: GrantListing): string {
  return viewName({ grant, revision: listing.revision });
}

/** What several views show is one finding, with all of them. */
function merge(findings: readonly Finding[]): Finding[] {
  const merged = new Map<string, Finding>();
  for (const finding of findings) {
    const before = merged.get(finding.fingerprint);
    const views = [...new Set([...(before?.views ?? []), ...finding.views])];
    merged.set(finding.fingerprint, { ...(before ?? finding), views });
  }
  return [...merged.values()];
}

function entitiesOf(reports: readonly DiffReport[]): EntityChange[] {
  const entities = new Map<string, EntityChange>();
  for (const { entities: changes, findings } of reports) {
    // A listing tells less of an entity than its contract; only those with a finding are worth laying side by side.
    const found = new Set(findings.map(({ entity }) => entity));
    for (const change of changes) if (found.has(change.entity)) entities.set(change.entity, change);
  }
  return [...entities.values()];
}

/** The hash covers what no listing tells: errors, jobs, scopes. */
function hashFindings({ hash, pulled }: Verification): Finding[] {
  const { expected, told } = hash;
  if (told === undefined || told === expected) return [];
  const change = {
    rule: 'server-contract-differs',
    entity: 'server',
    path: '/contractHash',
    message: 'The server was built from another contract than this one.',
    before: expected,
    after: told,
  };
  return [
    {
      ...change,
      verdict: 'risky',
      sets: ['client'],
      views: pulled.listings.map(viewOf),
      uses: [],
      cacheLag: false,
      security: false,
      stability: 'stable',
      rationale: 'The hash covers what no listing tells: errors, jobs, scopes and endpoints.',
      migration: 'Deploy the server that this contract makes, or verify against the contract it was made of.',
      fingerprint: fingerprintOf(change),
    },
  ];
}
