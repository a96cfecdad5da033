import { AppError } from '../../kernel/errors.ts';
import { EngineProcess } from './engine-process.ts';
import type { EngineLimits } from './protocol.ts';

export interface PoolOptions {
  readonly limits: EngineLimits;
  /** Processes at most. None is started before it is needed. */
  readonly size: number;
  readonly idleMs: number;
  /** Longest wait for a free process; then the caller is told to come back. */
  readonly waitMs: number;
}

type Waiter = (grant: 'granted' | 'closed') => void;

/** Lends engine processes, one task each, in the order of asking. */
export class EnginePool {
  readonly #options: PoolOptions;
  readonly #idle: { engine: EngineProcess; timer: NodeJS.Timeout }[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #busy = new Set<EngineProcess>();
  #lent = 0;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async use<T>(work: (engine: EngineProcess) => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#takeTurn(signal);
    try {
      const engine = this.#takeIdle() ?? (await EngineProcess.start(this.#options.limits));
      this.#busy.add(engine);
      engine.keepServerAlive(true);
      try {
        return await work(engine);
      } finally {
        this.#busy.delete(engine);
        await this.#giveBack(engine);
      }
    } finally {
      this.#endTurn();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiter of this.#waiting.splice(0)) waiter('closed');
    const engines = [...this.#busy, ...this.#idle.splice(0).map(({ engine, timer }) => (clearTimeout(timer), engine))];
    await Promise.all(engines.map((engine) => engine.kill()));
  }

  #takeTurn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#isClosed) return Promise.reject(unavailable());
    if (this.#lent < this.#options.size) {
      this.#lent += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = (error: unknown): void => {
        const at = this.#waiting.indexOf(waiter);
        if (at !== -1) this.#waiting.splice(at, 1);
        done();
        reject(error);
      };
      const abort = (): void => leave(signal?.reason);
      const timer = setTimeout(() => leave(unavailable()), this.#options.waitMs);
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = (grant) => {
        done();
        if (grant === 'granted') resolve();
        else reject(unavailable());
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiter);
    });
  }

  /** A turn passes straight to whoever waits longest, so nobody can slip in between. */
  #endTurn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#lent -= 1;
    else next('granted');
  }

  #takeIdle(): EngineProcess | undefined {
    for (let found = this.#idle.pop(); found !== undefined; found = this.#idle.pop()) {
      clearTimeout(found.timer);
      if (found.engine.isAlive) return found.engine;
    }
    return undefined;
  }

  async #giveBack(engine: EngineProcess): Promise<void> {
    if (!engine.isAlive) return;
    if (this.#isClosed) return engine.kill();
    engine.keepServerAlive(false);
    const timer = setTimeout(() => {
      const at = this.#idle.findIndex((entry) => entry.engine === engine);
      if (at !== -1) this.#idle.splice(at, 1);
      void engine.kill();
    }, this.#options.idleMs);
    timer.unref();
    this.#idle.push({ engine, timer });
  }
}

function unavailable(): AppError {
  return new AppError('unavailable', 'The query engine is busy; try again in a few seconds.');
}
