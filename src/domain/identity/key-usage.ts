import type { Db } from '../../db/database.ts';
import { ApiKeyRepository } from './api-key-repository.ts';

/** A key in constant use costs one small update per minute, not one per request. */
const WRITE_EVERY_MS = 60_000;
const FLUSH_AFTER_MS = 1_000;
/** Keys remembered at once; beyond it the oldest are forgotten, which costs an early update and nothing else. */
const MAX_REMEMBERED = 10_000;

/** Records when keys were last used, outside the request: `touch` only notes, a timer writes. */
export class KeyUsage {
  readonly #keys: ApiKeyRepository;
  readonly #onError: (error: unknown) => void;
  readonly #noted = new Map<string, number>();
  readonly #pending = new Map<string, Date>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: { readonly db: Db; readonly onError: (error: unknown) => void }) {
    this.#keys = new ApiKeyRepository(parts.db);
    this.#onError = parts.onError;
  }

  touch(keyId: string, at: Date): void {
    const noted = this.#noted.get(keyId);
    if (noted !== undefined && at.getTime() - noted < WRITE_EVERY_MS) return;
    this.#noted.delete(keyId);
    this.#noted.set(keyId, at.getTime());
    this.#forgetOldest();
    this.#pending.set(keyId, at);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS).unref();
  }

  /** Writes what is noted; a failure is reported and the note dropped, since the next use makes a new one. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const uses = [...this.#pending].map(([keyId, at]) => ({ keyId, at }));
    this.#pending.clear();
    try {
      await this.#keys.touch(uses);
    } catch (error) {
      for (const use of uses) this.#noted.delete(use.keyId);
      this.#onError(error);
    }
  }

  #forgetOldest(): void {
    if (this.#noted.size <= MAX_REMEMBERED) return;
    const oldest = this.#noted.keys().next().value;
    if (oldest !== undefined) this.#noted.delete(oldest);
  }
}
