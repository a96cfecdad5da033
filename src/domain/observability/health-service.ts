import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/duration.ts';
import type { Capability, CapabilityService } from '../capabilities/index.ts';
import type { Health } from './health.ts';
import { HealthReadModel, type Window } from './health-read-model.ts';
import { SpanBounds } from './span-bounds.ts';

const LIST_MAX = 20;
/** Longer windows begin with a day (UTC), shorter ones with an hour. */
const HOURLY_DAYS_MAX = 7;

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

  /** One window that ends now, beside the one before it. Without a capability, of the whole project. */
  async inspect(
    projectId: string,
    query: { readonly capability?: string; readonly days: number },
  ): Promise<{ readonly capability?: Capability; readonly health: Health }> {
    const capability =
      query.capability === undefined ? undefined : await this.#capabilities.require(projectId, query.capability);
    const of = capability === undefined ? {} : { capabilityId: capability.id };
    const { window, before } = windowsOf(this.#clock.now(), query.days, of);
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

/** The running hour or day is whole in the window, so a window is up to that much longer than its days. */
function windowsOf(
  now: Date,
  days: number,
  of: { readonly capabilityId?: string },
): { readonly window: Window; readonly before: Window } {
  const grain = days <= HOURLY_DAYS_MAX ? 'hour' : 'day';
  const length = grain === 'hour' ? HOUR_MS : DAY_MS;
  const running = Math.floor(now.getTime() / length) * length;
  const at = (ms: number): Date => new Date(running + ms);
  const [first, second] = [at(-2 * days * DAY_MS), at(-days * DAY_MS)];
  return {
    window: { ...of, grain, from: second, to: at(length) },
    before: { ...of, grain, from: first, to: second },
  };
}
