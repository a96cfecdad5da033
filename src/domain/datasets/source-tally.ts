import { CapabilityTally } from './capability-rank.ts';
import type { SourceTrace } from './trace-source.ts';

const SESSIONS_COUNTED_MAX = 100_000;
const MODELS_LISTED_MAX = 20;

/** What the source is made of, counted while it is read. */
export class SourceTally {
  readonly capabilities = new CapabilityTally();
  readonly #unit: 'traces' | 'calls' | 'files';
  readonly #sessions = new Set<string>();
  readonly #models = new Map<string, number>();
  #count = 0;
  #failed = 0;

  constructor(unit: 'traces' | 'calls' | 'files') {
    this.#unit = unit;
  }

  add(read: Pick<SourceTrace, 'failed' | 'capability' | 'session' | 'model'>): void {
    this.#count += 1;
    if (read.failed) this.#failed += 1;
    this.capabilities.add(read.capability);
    if (read.session !== undefined && this.#sessions.size < SESSIONS_COUNTED_MAX) this.#sessions.add(read.session);
    const model = read.model ?? '';
    if (this.#models.has(model) || this.#models.size < MODELS_LISTED_MAX) {
      this.#models.set(model, (this.#models.get(model) ?? 0) + 1);
    }
  }

  context(): Readonly<Record<string, unknown>> {
    const unit = this.#unit;
    if (unit === 'files') return {};
    return {
      [unit]: this.#count,
      [`failed_${unit}`]: this.#failed,
      sessions: this.#sessions.size,
      models: [...this.#models].map(([model, count]) => ({ model, [unit]: count })),
      capabilities: this.capabilities
        .ranked()
        .map(({ name, score }) => ({ name, [unit]: Math.round(score * this.#count) })),
    };
  }
}
