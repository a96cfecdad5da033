import type { DiffReport, Finding } from '../../../codegen/diff/finding.ts';

/** What a hostile server would put into a description to move a terminal, a page, a comment or a log. */
export const HOSTILE = [
  '<script>alert(1)</script><img src=x onerror=alert(2)>',
  '\u001b[2J\u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007',
  '\n::error title=forged::all is well\n##[add-mask]x',
  '\u202egnp.exe\u200b\u{e0041}',
  '`|@everyone [x](javascript:alert(3)) ${{ secrets.KEY }} https://evil.example',
  ']]>&amp;"\'\u0000\ud800',
].join(' ');

export function finding(part: Partial<Finding> = {}): Finding {
  return {
    rule: 'in-maximum-lowered',
    verdict: 'breaking',
    sets: ['wire'],
    entity: 'tool query_traces',
    path: '/input/properties/limit/maximum',
    direction: 'in',
    message: 'The largest `limit` falls from 100 to 50.',
    before: 100,
    after: 50,
    witness: { value: { limit: 51 }, acceptedBy: 'old', refusedBy: 'new' },
    views: ['account/read · 2025-11-25', 'account/read · 2026-07-28'],
    uses: [],
    cacheLag: false,
    security: false,
    stability: 'stable',
    rationale: 'A call that was accepted is refused.',
    migration: 'Send at most 50, or page.',
    fingerprint: 'a1b2c3d4e5f60718a1b2c3d4e5f60718',
    position: { file: 'tools/observability/query_traces.yaml', line: 31, column: 16 },
    ...part,
  };
}

export const FINDINGS: readonly Finding[] = [
  finding(),
  finding({
    rule: 'hint-destructive-gained',
    entity: 'tool move_file',
    path: '/behaviour/destructive',
    message: 'Calls may now destroy.',
    before: false,
    after: true,
    security: true,
    sets: ['policy'],
    fingerprint: 'b'.repeat(32),
  }),
  finding({
    rule: 'out-schema-undecided',
    verdict: 'unknown',
    direction: 'out',
    entity: 'tool read_media_file',
    path: '/output',
    message: 'Whether this breaks could not be decided.',
    unknown: { keyword: 'pattern', path: '/properties/name', reason: 'its language is not regular' },
    fingerprint: 'c'.repeat(32),
  }),
  finding({
    rule: 'tool-renamed',
    verdict: 'risky',
    entity: 'tool list_things',
    path: '',
    message: 'It is gone; `list_items` looks like it.',
    renamedTo: 'list_items',
    fingerprint: 'd'.repeat(32),
  }),
  finding({
    rule: 'in-enum-value-added',
    verdict: 'notice',
    entity: 'model level',
    path: '/schema/enum',
    message: '`debug` may be sent.',
    cacheLag: true,
    uses: ['tool query_traces input', 'tool tail_logs input'],
    fingerprint: 'e'.repeat(32),
  }),
  finding({
    rule: 'error-removed',
    entity: 'error quota_exceeded',
    path: '',
    message: 'The code is gone.',
    fingerprint: 'f'.repeat(32),
    approved: { change: 'drop_quota', reason: 'Quotas are gone.', owner: 'platform', expires: '2027-01-31' },
  }),
];

/** The same finding with every word replaced by hostile ones. */
export function hostileFinding(part: Partial<Finding> = {}): Finding {
  return finding({
    entity: `tool ${HOSTILE}`,
    path: `/${HOSTILE}`,
    message: HOSTILE,
    before: { [HOSTILE]: HOSTILE },
    after: HOSTILE,
    witness: { value: { text: HOSTILE }, acceptedBy: 'old', refusedBy: 'new' },
    unknown: { keyword: HOSTILE, path: HOSTILE, reason: HOSTILE },
    views: [HOSTILE],
    uses: [HOSTILE],
    renamedTo: HOSTILE,
    rationale: HOSTILE,
    migration: HOSTILE,
    baseline: HOSTILE,
    position: { file: `tools/${HOSTILE}.yaml`, line: 3, column: 1 },
    ...part,
  });
}

/** A report in which everything that a contract can word is hostile. */
export function hostileReport(): DiffReport {
  return report(
    [
      hostileFinding(),
      hostileFinding({
        rule: 'error-removed',
        fingerprint: '9'.repeat(32),
        approved: { change: HOSTILE, reason: HOSTILE, owner: HOSTILE, expires: '2027-01-31' },
      }),
    ],
    {
      before: { label: HOSTILE, version: HOSTILE, digest: '0'.repeat(64), origin: 'server' },
      after: { label: HOSTILE, version: HOSTILE, digest: '1'.repeat(64), origin: 'server' },
      version: { before: HOSTILE, after: `${HOSTILE}!`, required: 'major', given: 'minor', suggested: HOSTILE },
      tokens: {
        before: 1,
        after: 2,
        changes: [{ entity: HOSTILE, before: 1, after: 2, segments: { [HOSTILE]: [1, 2] } }],
      },
      entities: [{ entity: HOSTILE, before: { [HOSTILE]: HOSTILE }, after: [HOSTILE] }],
    },
  );
}

export function report(findings: readonly Finding[] = FINDINGS, part: Partial<DiffReport> = {}): DiffReport {
  const open = findings.filter(({ approved }) => approved === undefined);
  const count = (verdict: Finding['verdict']): number => open.filter((one) => one.verdict === verdict).length;
  const counts = {
    breaking: count('breaking'),
    risky: count('risky'),
    unknown: count('unknown'),
    notice: count('notice'),
    safe: count('safe'),
  };
  return {
    before: { label: 'main', version: '1.4.0', digest: '0'.repeat(64), origin: 'contracts' },
    after: { label: 'HEAD', version: '1.5.0', digest: '1'.repeat(64), origin: 'contracts' },
    findings,
    counts,
    approved: findings.length - open.length,
    failOn: 'breaking',
    sets: ['wire', 'client', 'policy', 'agent'],
    failed: counts.breaking > 0,
    version: { before: '1.4.0', after: '1.5.0', required: 'major', given: 'minor', suggested: '2.0.0' },
    tokens: {
      before: 9000,
      after: 9120,
      changes: [{ entity: 'tool query_traces', before: 300, after: 420, segments: { description: [80, 200] } }],
    },
    entities: [
      {
        entity: 'tool query_traces',
        before: { description: 'Reads traces.', input: { properties: { limit: { maximum: 100 } } } },
        after: { description: 'Reads traces, newest first.', input: { properties: { limit: { maximum: 50 } } } },
      },
      { entity: 'tool list_things', before: { description: 'Lists.' } },
    ],
    ...part,
  };
}
