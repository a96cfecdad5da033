/** One series of durations: how many lasted at most each bound, how many there were, and their sum in seconds. */
interface Durations {
  readonly kind: string;
  readonly name: string;
  readonly within: number[];
  count: number;
  sum: number;
}

interface Outcomes {
  readonly kind: string;
  readonly name: string;
  readonly outcome: string;
  count: number;
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * Counts finished operations. A metrics library looks its labels up anew for each of them; here that costs two keys, and
 * the library sees the sums when somebody asks for them.
 */
export class OperationTally {
  readonly #bounds: readonly number[];
  readonly #durations = new Map<string, Durations>();
  readonly #outcomes = new Map<string, Outcomes>();

  /** `bounds` are seconds, in order. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  add(kind: string, name: string, outcome: string, seconds: number): void {
    const series = `${kind} ${name}`;
    let durations = this.#durations.get(series);
    if (durations === undefined) {
      durations = { kind, name, within: this.#bounds.map(() => 0), count: 0, sum: 0 };
      this.#durations.set(series, durations);
    }
    durations.count += 1;
    durations.sum += seconds;
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    if (at >= 0) durations.within[at] = (durations.within[at] ?? 0) + 1;
    const ended = `${series} ${outcome}`;
    const outcomes = this.#outcomes.get(ended);
    if (outcomes === undefined) this.#outcomes.set(ended, { kind, name, outcome, count: 1 });
    else outcomes.count += 1;
  }

  /** How often each operation ended how. */
  outcomes(): Iterable<Readonly<Outcomes>> {
    return this.#outcomes.values();
  }

  /** The samples of a Prometheus histogram of this name: cumulative buckets, count and sum. */
  samples(metric: string): Sample[] {
    return [...this.#durations.values()].flatMap(({ kind, name, within, count, sum }) => {
      let soFar = 0;
      const buckets = this.#bounds.map((le, index) => {
        soFar += within[index] ?? 0;
        return { metricName: `${metric}_bucket`, labels: { le, kind, name }, value: soFar };
      });
      return [
        ...buckets,
        { metricName: `${metric}_bucket`, labels: { le: '+Inf', kind, name }, value: count },
        { metricName: `${metric}_sum`, labels: { kind, name }, value: sum },
        { metricName: `${metric}_count`, labels: { kind, name }, value: count },
      ];
    });
  }
}
