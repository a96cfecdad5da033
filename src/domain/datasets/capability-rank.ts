import type { RankedCapability } from './dataset.ts';

const RANKED_MAX = 20;
/** A capability that speaks for fewer rows is proposed but not chosen by itself. */
const BINDING_SHARE = 0.5;

/** Counts whose traces the rows came from. */
export class CapabilityTally {
  readonly #rows = new Map<string, { readonly name: string; count: number }>();
  #total = 0;

  add(capability: { readonly id: string; readonly name: string } | undefined): void {
    this.#total += 1;
    if (capability === undefined) return;
    const known = this.#rows.get(capability.id);
    if (known === undefined) this.#rows.set(capability.id, { name: capability.name, count: 1 });
    else known.count += 1;
  }

  /** Best first. */
  ranked(): readonly RankedCapability[] {
    return [...this.#rows]
      .map(([capabilityId, { name, count }]) => ({
        capabilityId,
        name,
        score: Math.round((count / this.#total) * 1e6) / 1e6,
        reason: `${count} of ${this.#total} rows come from its traces.`,
      }))
      .sort((left, right) => right.score - left.score || (left.capabilityId < right.capabilityId ? -1 : 1))
      .slice(0, RANKED_MAX);
  }
}

/** The capability the rows speak for, if more than half of them do. */
export function inferredCapability(rank: readonly RankedCapability[]): string | undefined {
  const best = rank[0];
  return best !== undefined && best.score > BINDING_SHARE ? best.capabilityId : undefined;
}
