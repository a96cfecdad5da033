/** How many durations fell into one bucket: those above e^((bucket - 1) / 50) and up to e^(bucket / 50) nanoseconds. */
export interface DurationBucket {
  readonly bucket: number;
  readonly n: number;
}

const BUCKETS_PER_E = 50;

/** The nearest-rank percentile, within one per cent of the exact one; undefined of nothing. Buckets come in order. */
export function percentileNs(buckets: readonly DurationBucket[], share: number): number | undefined {
  const total = buckets.reduce((sum, { n }) => sum + n, 0);
  let left = Math.ceil(share * total);
  for (const { bucket, n } of buckets) {
    left -= n;
    if (left <= 0) return Math.exp((bucket - 0.5) / BUCKETS_PER_E);
  }
  return undefined;
}
