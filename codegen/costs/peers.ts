/** What published catalogues of other servers cost, to hold this one against. */
export interface Peer {
  readonly name: string;
  /** Mean tokens of name, description and input of a tool; two where versions differ. */
  readonly mean: readonly [number, number?];
  readonly tools?: number;
  readonly total?: number;
}

export const PEERS: {
  readonly measure: string;
  readonly source: string;
  readonly seen: string;
  readonly peers: readonly Peer[];
} = {
  measure: 'o200k tokens of name, description and input schema',
  source: 'counts of the `tools/list` each server published in 2026, rounded; servers change them with every release',
  seen: 'taken over on 2026-11-30',
  peers: [
    { name: 'server-everything', mean: [80] },
    { name: 'supabase', mean: [130] },
    { name: 'playwright', mean: [150] },
    { name: 'launchdarkly', mean: [193] },
    { name: 'github', mean: [215], tools: 117, total: 25_100 },
    { name: 'posthog', mean: [325], tools: 44, total: 14_300 },
    { name: 'sentry', mean: [545, 604], tools: 54, total: 29_400 },
    { name: 'notion', mean: [715] },
    { name: 'circleci', mean: [904] },
  ],
};
