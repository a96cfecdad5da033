import type { Clock } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import type { LifecycleContract, TombstoneContract } from './contract.ts';
import type { Metrics, OperationKind } from './ports.ts';

export interface NamedLifecycle extends LifecycleContract {
  readonly name: string;
}

/** Carries out what the contract announces: counts uses of old names, notes them in results, ends them at sunset. */
export class Lifecycle {
  readonly #clock: Clock;
  readonly #metrics: Metrics;

  constructor(clock: Clock, metrics: Metrics) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  isRetired(entity: LifecycleContract): boolean {
    const sunset = entity.deprecated?.sunset;
    return sunset !== undefined && this.#clock.now().getTime() >= Date.parse(sunset);
  }

  /** The note for the result's `_meta`, undefined for a current name. Throws `tool_retired` after the sunset. */
  noticeOnCall(
    kind: OperationKind,
    entity: NamedLifecycle,
    calledName: string,
  ): Readonly<Record<string, unknown>> | undefined {
    const { deprecated } = entity;
    if (deprecated === undefined && calledName === entity.name) return undefined;
    if (deprecated !== undefined && this.isRetired(entity)) {
      this.#metrics.deprecated(kind, entity.name, 'retired');
      throw retired(entity.name, deprecated);
    }
    this.#metrics.deprecated(kind, entity.name, calledName === entity.name ? 'deprecated' : 'alias');
    return {
      ...(deprecated === undefined ? {} : { deprecated: { ...deprecated } }),
      ...(calledName === entity.name ? {} : { renamed: { name: entity.name } }),
    };
  }

  /** What a call by a name that was withdrawn for good is answered. */
  refuseWithdrawn(kind: OperationKind, { name, removed, replacement }: TombstoneContract): AppError {
    this.#metrics.deprecated(kind, name, 'retired');
    const next = replacement === undefined ? 'Nothing replaces it.' : `Use \`${replacement}\` instead.`;
    return new AppError('tool_retired', `\`${name}\` was withdrawn in version ${removed}. ${next}`, {
      fields: { removed, ...(replacement === undefined ? {} : { replacement }) },
    });
  }
}

function retired(name: string, deprecated: NonNullable<LifecycleContract['deprecated']>): AppError {
  const next =
    deprecated.replacement === undefined ? 'Nothing replaces it.' : `Use \`${deprecated.replacement}\` instead.`;
  return new AppError('tool_retired', `\`${name}\` was withdrawn on ${deprecated.sunset}. ${next}`, {
    fields: {
      sunset: deprecated.sunset,
      ...(deprecated.replacement === undefined ? {} : { replacement: deprecated.replacement }),
    },
  });
}
