import type { Db } from '../../db/database.ts';
import { sleep, within } from '../../kernel/duration.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { backoffMs } from '../../kernel/retry.ts';
import { AgentCallRepository } from './agent-call-repository.ts';
import type { StoredCall } from './agent-call-repository.ts';
import type { AgentCall } from './agent-call.ts';

/** About 3 MB of waiting rows. Calls wait once there are more, so that memory stays flat and no row is lost. */
const MAX_WAITING = 10_000;
const BATCH_SIZE = 2_000;
const FLUSH_AFTER_MS = 200;
/** How long a call waits for room before it is refused. */
const ROOM_WAIT_MS = 5_000;
const BACKOFF = { baseMs: 200, maxMs: 10_000 };

export interface AgentCallLogParts {
  readonly db: Db;
  /** Told once per failed write and once per full buffer, never per row. */
  readonly onTrouble: (trouble: { readonly what: 'write_failed' | 'full'; readonly error?: unknown }) => void;
  /** How long a call may wait for room, in milliseconds. */
  readonly roomWaitMs?: number;
}

/**
 * Stores the audit in batches, off the request path. Every row is written before `close` ends, unless the database
 * stays away past the deadline. Callers ask for `room` before they do anything: an operation that could not be written
 * down does not happen.
 */
export class AgentCallLog {
  readonly #calls: AgentCallRepository;
  readonly #onTrouble: AgentCallLogParts['onTrouble'];
  readonly #roomWaitMs: number;
  #waiting: AgentCall[] = [];
  /** Rows under way. They keep their ids, so that a batch sent again after a lost answer stores nothing twice. */
  #batch: readonly StoredCall[] = [];
  #room: Room | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<boolean> | undefined;
  #failures = 0;

  constructor(parts: AgentCallLogParts) {
    this.#calls = new AgentCallRepository(parts.db);
    this.#onTrouble = parts.onTrouble;
    this.#roomWaitMs = parts.roomWaitMs ?? ROOM_WAIT_MS;
  }

  /** Rows that are not stored yet. */
  get waiting(): number {
    return this.#waiting.length + this.#batch.length;
  }

  record(call: AgentCall): void {
    this.#waiting.push(call);
    this.#schedule(FLUSH_AFTER_MS);
  }

  /** Undefined while rows are stored as fast as they come; else resolves when there is room, and throws `unavailable` when there is none in time. */
  room(): Promise<void> | undefined {
    return this.#waiting.length < MAX_WAITING ? undefined : this.#awaitRoom();
  }

  #awaitRoom(): Promise<void> {
    if (this.#room === undefined) this.#onTrouble({ what: 'full' });
    this.#room ??= new Room();
    return within(this.#room.opened, this.#roomWaitMs, noRoom);
  }

  /** Writes what waits now; false when the database did not take it. */
  async flush(): Promise<boolean> {
    await this.#writing;
    while (this.waiting > 0) {
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
    return this.waiting;
  }

  async #writeBatch(): Promise<boolean> {
    if (this.#batch.length === 0) {
      this.#batch = this.#waiting.slice(0, BATCH_SIZE).map((call) => ({ id: newId(), call }));
      this.#waiting = this.#waiting.slice(BATCH_SIZE);
    }
    try {
      await this.#calls.insertMany(this.#batch);
      this.#batch = [];
      this.#failures = 0;
      if (this.#waiting.length < MAX_WAITING) {
        this.#room?.open();
        this.#room = undefined;
      }
      return true;
    } catch (error) {
      this.#failures += 1;
      this.#onTrouble({ what: 'write_failed', error });
      return false;
    } finally {
      this.#writing = undefined;
      if (this.waiting > 0) this.#schedule(this.#failures === 0 ? FLUSH_AFTER_MS : backoffMs(this.#failures, BACKOFF));
    }
  }

  /** What waits now and no more: rows that come meanwhile make the next batch, else each would be a batch of its own. */
  async #writeWaiting(): Promise<void> {
    for (let left = this.waiting; left > 0; left -= BATCH_SIZE) {
      this.#writing ??= this.#writeBatch();
      if (!(await this.#writing)) return;
    }
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#writeWaiting();
    }, delayMs).unref();
  }
}

class Room {
  readonly opened: Promise<void>;
  open: () => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}

function noRoom(): AppError {
  return new AppError('unavailable', 'What the server does cannot be written down at the moment. Try again later.');
}
