/** Holds findings against the approvals of the tree, and the approvals against the findings. */
import type { Finding } from '../diff/finding.ts';
import { fingerprintOf } from '../diff/fingerprint.ts';
import { findRule, ruleOf } from '../diff/rules/index.ts';
import type { ChangeSpec, SourcePosition } from '../model/types.ts';

export interface ApprovalInput {
  /** Approvals of the old tree: what was merged with them is part of the old side already. */
  readonly before: readonly ChangeSpec[];
  readonly after: readonly ChangeSpec[];
  readonly today: string;
  /** Fingerprints approved for a release between the two sides. */
  readonly settled: readonly string[];
  readonly locate: ((entity: string, path: string) => SourcePosition | undefined) | undefined;
}

type Entry = ChangeSpec['approves'][number];

const FINGERPRINT = /^[0-9a-f]{32}$/u;
/** Approvals cannot be approved, and neither can the loss of the thing they are held against. */
const NEVER = /^(?:approval|baseline)-/u;

export function applyApprovals(findings: readonly Finding[], input: ApprovalInput): Finding[] {
  const used = new Set<Entry>();
  const judged = findings.map((finding) => {
    if (NEVER.test(finding.rule)) return finding;
    for (const change of input.after) {
      if (isExpired(change, input.today)) continue;
      const entry = change.approves.find((one) => covers(one, finding));
      if (entry === undefined) continue;
      used.add(entry);
      return { ...finding, approved: approvedBy(change) };
    }
    if (!input.settled.includes(finding.fingerprint)) return finding;
    return { ...finding, approved: { change: 'release', reason: 'Approved for a later release.', owner: '' } };
  });
  return [...judged, ...input.after.flatMap((change) => faultsOf(change, used, input))];
}

function covers({ rule, entity, fingerprint }: Entry, finding: Finding): boolean {
  return fingerprint === finding.fingerprint && rule === finding.rule && entity === finding.entity;
}

function approvedBy({ name, reason, owner, expires }: ChangeSpec): NonNullable<Finding['approved']> {
  return { change: name, reason, owner, ...(expires === undefined ? {} : { expires }) };
}

function isExpired({ expires }: ChangeSpec, today: string): boolean {
  return expires !== undefined && expires < today;
}

function faultsOf(change: ChangeSpec, used: ReadonlySet<Entry>, input: ApprovalInput): Finding[] {
  const known = input.before.find(({ name }) => name === change.name);
  return change.approves.flatMap((entry, at): Finding[] => {
    const fault = faultOf(change, entry, { used, input, known });
    if (fault === undefined) return [];
    const [rule, message] = fault;
    const entity = `change ${change.name}`;
    const path = `/approves/${at}`;
    const position = input.locate?.(entity, path);
    const { sets, verdict, rationale, migration } = ruleOf(rule);
    return [
      {
        rule,
        verdict,
        sets,
        entity,
        path,
        message,
        before: entry.rule,
        after: entry.fingerprint,
        views: [],
        uses: [],
        cacheLag: false,
        security: false,
        stability: 'stable',
        rationale,
        migration,
        fingerprint: fingerprintOf({ rule, entity, path, message, after: entry.fingerprint }),
        ...(position === undefined ? {} : { position }),
      },
    ];
  });
}

interface Ground {
  readonly used: ReadonlySet<Entry>;
  readonly input: ApprovalInput;
  readonly known: ChangeSpec | undefined;
}

function faultOf(change: ChangeSpec, entry: Entry, { used, input, known }: Ground): [string, string] | undefined {
  const { rule, entity, fingerprint } = entry;
  if ([rule, entity, fingerprint].some((text) => /[*?]/u.test(text))) {
    return ['approval-too-broad', `\`${rule}\` at \`${entity}\` approves more than one finding.`];
  }
  if (!FINGERPRINT.test(fingerprint)) return ['approval-malformed', `\`${fingerprint}\` is no fingerprint.`];
  if (findRule(rule) === undefined) return ['approval-malformed', `There is no rule \`${rule}\`.`];
  if (isExpired(change, input.today)) {
    return ['approval-expired', `The approval of \`${rule}\` at \`${entity}\` ended on ${change.expires ?? ''}.`];
  }
  if (used.has(entry)) return undefined;
  // Merged together with its change, it has done its work; a release clears it away.
  if (known?.approves.some((one) => one.fingerprint === fingerprint) === true) return undefined;
  return ['approval-unused', `Nothing here is \`${rule}\` at \`${entity}\` with this fingerprint.`];
}
