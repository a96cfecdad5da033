import { monotonicMs } from '../../kernel/clock.ts';
import { EnginePool } from './engine-pool.ts';
import type { PoolOptions, Turn } from './engine-pool.ts';
import type { EngineProcess } from './engine-process.ts';

export interface StatementPoolsOptions extends Omit<PoolOptions, 'pace' | 'partySize'> {
  /** How long a party's statements are run patiently after one that had to give way. */
  readonly patienceMs: number;
}

type Work<T> = (engine: Pick<EngineProcess, 'run'>) => Promise<T>;

/**
 * Two pools of engine processes for the statements of people. A statement that takes much gives way to the others, and
 * so do the next ones of the same party, from their start and among themselves: what a party does costs itself, and
 * everybody else finds a prompt process that needs no start.
 */
export class StatementPools {
  readonly #patienceMs: number;
  readonly #prompt: EnginePool;
  readonly #patient: EnginePool;
  readonly #patientUntil = new Map<string, number>();

  constructor({ patienceMs, ...options }: StatementPoolsOptions) {
    // One party leaves a process to all the others, whatever it does.
    const partySize = Math.max(1, options.size - 1);
    this.#patienceMs = patienceMs;
    this.#prompt = new EnginePool({ ...options, partySize, pace: 'prompt' });
    this.#patient = new EnginePool({ ...options, partySize, pace: 'patient' });
  }

  async use<T>(work: Work<T>, turn: Turn): Promise<T> {
    const onGivesWay = (): void => this.#slow(turn.party);
    const run = (engine: EngineProcess): Promise<T> =>
      work({ run: (task, options) => engine.run(task, { ...options, onGivesWay }) });
    if (this.#isPatient(turn.party)) return this.#patient.use(run, turn);
    const answer = await this.#prompt.use(
      // Its turn has come after a statement that took much.
      async (engine) => (this.#isPatient(turn.party) ? undefined : { of: await run(engine) }),
      turn,
    );
    return answer === undefined ? this.#patient.use(run, turn) : answer.of;
  }

  async close(): Promise<void> {
    await Promise.all([this.#prompt.close(), this.#patient.close()]);
  }

  #isPatient(party: string): boolean {
    return (this.#patientUntil.get(party) ?? 0) > monotonicMs();
  }

  #slow(party: string): void {
    const now = monotonicMs();
    for (const [other, until] of this.#patientUntil) if (until <= now) this.#patientUntil.delete(other);
    this.#patientUntil.set(party, now + this.#patienceMs);
  }
}
