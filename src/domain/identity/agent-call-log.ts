import type { Db } from '../../db/database.ts';
import { sleep } from '../../kernel/duration.ts';
import { newId } from '../../kernel/ids.ts';
import { backoffMs } from '../../kernel/retry.ts';
import { AgentCallRepository } from './agent-call-repository.ts';
import type { StoredCall } from './agent-call-repository.ts';
import type { AgentCall } from './agent-call.ts';

/** About 6 MB of waiting rows at most; a database that stays away longer costs rows, never memory. */
const MAX_WAITING = 20_000;
const BATCH_SIZE = 1_000;
const FLUSH_AFTER_MS = 200;

export interface AgentCallLogParts {
  readonly db: Db;
  /** Told once per failed write and once per full buffer, never per row. */
  readonly onTrouble: (trouble: { readonly what: 'write_failed' | 'full'; readonly error?: unknown }) => void;
}

/**
 * Stores the audit in batches, off the request path. Every accepted row is written before `close` ends, unless the
 * database stays away past the deadline; rows that find the buffer full are counted in `dropped`.
 */
export class AgentCallLog {
  readonly #calls: AgentCallRepository;
  readonly #onTrouble: AgentCallLogParts['onTrouble'];
  #waiting: StoredCall[] = [];
  #dropped = 0;
  #isFull = false;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<boolean> | undefined;
  #failures = 0;

  constructor(parts: AgentCallLogParts) {
    this.#calls = new AgentCallRepository(parts.db);
    this.#onTrouble = parts.onTrouble;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  record(call: AgentCall): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      if (!this.#isFull) this.#onTrouble({ what: 'full' });
      this.#isFull = true;
      return;
    }
    this.#waiting.push({ id: newId(), ...call });
    this.#schedule(FLUSH_AFTER_MS);
  }

  /** Writes what waits now; false when the database did not take it. */
  async flush(): Promise<boolean> {
    await this.#writing;
    while (this.#waiting.length > 0) {
      this.#writing ??= this.#writeBatch();
      if (!(await this.#writing)) return false;
    }
    return true;
  }

  /** Writes everything accepted so far and stops the timer. Gives back how many rows could not be written in time. */
  async close(deadlineMs: number): Promise<number> {
    const tries = AbortSignal.timeout(deadlineMs);
    while (!(await this.flush()) && !tries.aborted) await sleep(backoffMs(this.#failures, BACKOFF), tries);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#waiting.length;
  }

  async #writeBatch(): Promise<boolean> {
    const batch = this.#waiting.slice(0, BATCH_SIZE);
    try {
      await this.#calls.insertMany(batch);
      this.#waiting = this.#waiting.slice(batch.length);
      this.#failures = 0;
      this.#isFull = false;
      return true;
    } catch (error) {
      this.#failures += 1;
      this.#onTrouble({ what: 'write_failed', error });
      return false;
    } finally {
      this.#writing = undefined;
      if (this.#waiting.length > 0)
        this.#schedule(this.#failures === 0 ? FLUSH_AFTER_MS : backoffMs(this.#failures, BACKOFF));
    }
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, delayMs).unref();
  }
}

const BACKOFF = { baseMs: 200, maxMs: 10_000 };
