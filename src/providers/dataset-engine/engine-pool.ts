import { AppError } from '../../kernel/errors.ts';
import { EngineProcess } from './engine-process.ts';
import type { Pace } from './process-priority.ts';
import type { EngineLimits } from './protocol.ts';

export interface PoolOptions {
  readonly limits: EngineLimits;
  /** Of the processes it lends; one that has become slower is not lent again. */
  readonly pace: Pace;
  /** Processes at most. None is started before it is needed. */
  readonly size: number;
  /** Processes that one party may hold at the same time. */
  readonly partySize: number;
  readonly idleMs: number;
  /** Longest wait for a free process; then the caller is told to come back. */
  readonly waitMs: number;
}

export interface Turn {
  /** Whose work it is: nobody's work keeps all the others out. */
  readonly party: string;
  readonly signal?: AbortSignal;
}

interface Waiter {
  readonly party: string;
  readonly settle: (grant: 'granted' | 'closed') => void;
}

/** Lends engine processes, one task each: to the party that holds fewest, and within it in the order of asking. */
export class EnginePool {
  readonly #options: PoolOptions;
  readonly #idle: { engine: EngineProcess; timer: NodeJS.Timeout }[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #busy = new Set<EngineProcess>();
  readonly #starting: Promise<EngineProcess>[] = [];
  readonly #held = new Map<string, number>();
  #lent = 0;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async use<T>(work: (engine: EngineProcess) => Promise<T>, turn: Turn): Promise<T> {
    await this.#takeTurn(turn);
    try {
      const engine = this.#takeIdle() ?? (await (this.#starting.shift() ?? this.#start()));
      this.#busy.add(engine);
      engine.keepServerAlive(true);
      try {
        return await work(engine);
      } finally {
        this.#busy.delete(engine);
        await this.#giveBack(engine);
      }
    } finally {
      this.#endTurn(turn.party);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiter of this.#waiting.splice(0)) waiter.settle('closed');
    const engines = [...this.#busy, ...this.#idle.splice(0).map(({ engine, timer }) => (clearTimeout(timer), engine))];
    const started = await Promise.allSettled(this.#starting.splice(0));
    for (const each of started) if (each.status === 'fulfilled') engines.push(each.value);
    await Promise.all(engines.map((engine) => engine.kill()));
  }

  #takeTurn({ party, signal }: Turn): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    if (this.#isClosed) return Promise.reject(unavailable());
    // Whoever waits although a process is free waits for a party that has its share, which is none of this one's concern.
    if (this.#lent < this.#options.size && this.#mayHold(party)) {
      this.#lend(party);
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
      const waiter: Waiter = {
        party,
        settle: (grant) => {
          done();
          if (grant === 'granted') resolve();
          else reject(unavailable());
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiter);
    });
  }

  /** A turn passes straight on, so nobody can slip in between. */
  #endTurn(party: string): void {
    const held = this.#heldBy(party) - 1;
    if (held > 0) this.#held.set(party, held);
    else this.#held.delete(party);
    this.#lent -= 1;
    const next = this.#nextWaiter();
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    this.#lend(next.party);
    next.settle('granted');
  }

  #nextWaiter(): Waiter | undefined {
    let next: Waiter | undefined;
    for (const waiter of this.#waiting) {
      if (!this.#mayHold(waiter.party)) continue;
      if (next === undefined || this.#heldBy(waiter.party) < this.#heldBy(next.party)) next = waiter;
    }
    return next;
  }

  #lend(party: string): void {
    this.#lent += 1;
    this.#held.set(party, this.#heldBy(party) + 1);
  }

  #mayHold(party: string): boolean {
    return this.#heldBy(party) < this.#options.partySize;
  }

  #heldBy(party: string): number {
    return this.#held.get(party) ?? 0;
  }

  #takeIdle(): EngineProcess | undefined {
    for (let found = this.#idle.pop(); found !== undefined; found = this.#idle.pop()) {
      clearTimeout(found.timer);
      if (found.engine.isAlive) return found.engine;
    }
    return undefined;
  }

  async #giveBack(engine: EngineProcess): Promise<void> {
    const isReusable = engine.isAlive && engine.pace === this.#options.pace;
    if (!isReusable) this.#replace();
    if (!engine.isAlive) return;
    if (this.#isClosed || !isReusable) return engine.kill();
    this.#keep(engine);
  }

  #start(): Promise<EngineProcess> {
    return EngineProcess.start(this.#options.limits, this.#options.pace);
  }

  /** Starts a process in the place of one that is gone, so that the next caller does not wait for it to start. */
  #replace(): void {
    if (this.#isClosed || this.#idle.length + this.#starting.length > 0) return;
    const starting = this.#start();
    this.#starting.push(starting);
    starting.then(
      (engine) => {
        if (!this.#forgetStarting(starting)) return undefined;
        return this.#isClosed ? engine.kill() : this.#keep(engine);
      },
      // Whoever needs a process then starts one and is told why it fails.
      () => this.#forgetStarting(starting),
    );
  }

  /** Whether nobody waits for it. */
  #forgetStarting(starting: Promise<EngineProcess>): boolean {
    const at = this.#starting.indexOf(starting);
    if (at !== -1) void this.#starting.splice(at, 1);
    return at !== -1;
  }

  #keep(engine: EngineProcess): void {
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
