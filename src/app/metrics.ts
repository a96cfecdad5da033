import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type HistogramConfiguration } from 'prom-client';
import { OperationTally } from './operation-tally.ts';

/** The runtime's counters and the process's own figures, in one registry per process. */
export interface ProcessMetrics {
  operation(kind: string, name: string, outcome: string, durationMs: number): void;
  refused(status: number, reason: string): void;
  deprecated(kind: string, name: string, how: string): void;
  /** Prometheus text. */
  text(): Promise<{ readonly contentType: string; readonly body: string }>;
  /** Reads the value when somebody asks for the metrics, not before. */
  gauge(name: string, help: string, read: () => number): void;
  close(): void;
}

/** From one millisecond to the ceiling of a synchronous tool. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A histogram whose values are counted elsewhere. */
class TalliedHistogram extends Histogram<'kind' | 'name'> {
  readonly #tally: OperationTally;
  readonly #about: { readonly name: string; readonly help: string };

  constructor(tally: OperationTally, about: HistogramConfiguration<'kind' | 'name'>) {
    super(about);
    this.#tally = tally;
    this.#about = about;
  }

  /** What the registry asks for its text, and the library's own `get` too; its types leave it out. */
  async getForPromString(): Promise<object> {
    const { name, help } = this.#about;
    return { name, help, type: 'histogram', aggregator: 'sum', values: this.#tally.samples(name) };
  }
}

/** All labels come from closed lists (contract names, error codes), so the number of series is bounded. */
export function createMetrics(): ProcessMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'overmind_' });
  const tally = new OperationTally(SECONDS);
  const operations = new Counter({
    name: 'overmind_operations_total',
    help: 'Finished operations by kind, contract name and outcome.',
    labelNames: ['kind', 'name', 'outcome'],
    registers,
    collect() {
      operations.reset();
      for (const { kind, name, outcome, count } of tally.outcomes()) operations.inc({ kind, name, outcome }, count);
    },
  });
  registry.registerMetric(
    new TalliedHistogram(tally, {
      name: 'overmind_operation_duration_seconds',
      help: 'Time per operation by kind and contract name.',
      labelNames: ['kind', 'name'],
      registers: [],
    }),
  );
  const refusals = new Counter({
    name: 'overmind_requests_refused_total',
    help: 'Requests a guard refused, by status and reason.',
    labelNames: ['status', 'reason'],
    registers,
  });
  const deprecations = new Counter({
    name: 'overmind_deprecated_uses_total',
    help: 'Uses of old contract names, by how they are old.',
    labelNames: ['kind', 'name', 'how'],
    registers,
  });
  return {
    operation: (kind, name, outcome, durationMs) => tally.add(kind, name, outcome, durationMs / 1_000),
    refused: (status, reason) => refusals.inc({ status, reason }),
    deprecated: (kind, name, how) => deprecations.inc({ kind, name, how }),
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(read()) });
    },
    close: () => registry.clear(),
  };
}
