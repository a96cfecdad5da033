import type { Logger } from '../kernel/logger.ts';

/** What a process has opened, closed again in reverse order. One step that fails does not keep the others from running. */
export class Closing {
  readonly #logger: Logger;
  readonly #steps: { readonly what: string; readonly close: () => Promise<unknown> }[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(what: string, close: () => Promise<unknown>): void {
    this.#steps.push({ what, close });
  }

  async run(): Promise<void> {
    for (const { what, close } of this.#steps.splice(0).toReversed()) {
      try {
        await close();
      } catch (error) {
        this.#logger.error('stopping meets an error and goes on', { what, error });
      }
    }
  }
}
