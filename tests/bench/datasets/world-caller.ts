import type { World } from '../../support/given.ts';
import { BenchCaller } from './bench-caller.ts';

/** A world of the suite as the proofs ask it. */
export class WorldCaller extends BenchCaller {
  readonly #world: World;

  constructor(world: World) {
    super({ origin: world.server.origin, key: world.key, projectId: world.project.id });
    this.#world = world;
  }

  override async finishJob(job: {
    readonly kind: string;
    readonly id: string;
  }): Promise<Readonly<Record<string, unknown>>> {
    return { ...(await this.#world.finishJob(job)) };
  }
}
