import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Capability, CapabilityService } from '../capabilities/index.ts';
import type { Health } from './health.ts';
import { HealthReadModel } from './health-read-model.ts';
import { SpanBounds } from './span-bounds.ts';

const LIST_MAX = 20;
const DAY_MS = 86_400_000;

export class HealthService {
  readonly #clock: Clock;
  readonly #capabilities: CapabilityService;
  readonly #figures: HealthReadModel;
  readonly #bounds = new SpanBounds();

  constructor(parts: { readonly db: Db; readonly clock: Clock; readonly capabilities: CapabilityService }) {
    this.#clock = parts.clock;
    this.#capabilities = parts.capabilities;
    this.#figures = new HealthReadModel(parts.db);
  }

  /** One window that ends now, beside the equal one before it. Without a capability, of the whole project. */
  async inspect(
    projectId: string,
    query: { readonly capability?: string; readonly days: number },
  ): Promise<{ readonly capability?: Capability; readonly health: Health }> {
    const capability =
      query.capability === undefined ? undefined : await this.#capabilities.require(projectId, query.capability);
    const of = capability === undefined ? {} : { capabilityId: capability.id };
    // One millisecond on, since the window's end is open and what was received right now belongs to it.
    const to = new Date(this.#clock.now().getTime() + 1);
    const from = new Date(to.getTime() - query.days * DAY_MS);
    const window = { ...of, from, to };
    const before = { ...of, from: new Date(from.getTime() - query.days * DAY_MS), to: from };
    const [traffic, previous, models, errors] = await Promise.all([
      this.#figures.traffic(projectId, window),
      this.#figures.traffic(projectId, before),
      this.#figures.models(projectId, window, LIST_MAX + 1),
      this.#figures.errors(projectId, window, LIST_MAX + 1),
    ]);
    const health: Health = {
      days: query.days,
      traffic,
      previous,
      models: models.slice(0, LIST_MAX),
      errors: errors.slice(0, LIST_MAX).map(({ message, n }) => ({ message: this.#bounds.text(message), n })),
      truncated: models.length > LIST_MAX || errors.length > LIST_MAX,
    };
    return capability === undefined ? { health } : { capability, health };
  }

  /** What is known of a capability from its traffic. */
  async activity(
    projectId: string,
    capabilityId: string,
  ): Promise<{ readonly traceCount: number; readonly lastSeenAt?: string; readonly model?: string }> {
    return this.#figures.activity(projectId, capabilityId);
  }
}
