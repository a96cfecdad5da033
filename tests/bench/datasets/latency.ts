/** What somebody waits for, asked over and over. */
export interface Probe {
  readonly name: string;
  readonly ask: () => Promise<void>;
}

export interface Latency {
  readonly name: string;
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

/** Asks every probe in turn, one request at a time, until it is told to stop. */
export class Prober {
  readonly #probes: readonly Probe[];
  readonly #times = new Map<string, number[]>();

  constructor(probes: readonly Probe[]) {
    this.#probes = probes;
  }

  async runWhile(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      for (const { name, ask } of this.#probes) {
        const started = performance.now();
        await ask();
        const times = this.#times.get(name) ?? [];
        times.push(performance.now() - started);
        this.#times.set(name, times);
      }
    }
  }

  /** One row for each probe. */
  latencies(): readonly Latency[] {
    return [...this.#times].map(([name, times]) => summarize(name, times));
  }
}

export function summarize(name: string, times: readonly number[]): Latency {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { name, count: sorted.length, p50: at(0.5), p99: at(0.99) };
}
