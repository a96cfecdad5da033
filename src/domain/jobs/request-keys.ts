import type { Db } from '../../db/database.ts';
import { withEffectMark } from '../../db/effect-mark.ts';
import { DAY_MS, MINUTE_MS } from '../../kernel/duration.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { IdempotencyStore, KeyedRequest, ReplayAnswer, ReplayClaim, ReplayOutcome } from '../../kernel/replay.ts';
import { RequestKeyRepository, type RequestKeyName } from './request-key-repository.ts';

const KEEP_MS = DAY_MS;
/** Longer than any call may take; a key held beyond it belongs to a process that died. */
const HOLD_MS = 2 * MINUTE_MS;

/**
 * Remembers the first outcome of a request for 24 hours, by caller, project, operation and the key the caller chose,
 * so that a repeated call is answered and not carried out again.
 */
export class RequestKeys implements IdempotencyStore {
  readonly #repository: RequestKeyRepository;

  constructor(db: Db) {
    this.#repository = new RequestKeyRepository(db);
  }

  async claim(request: KeyedRequest): Promise<ReplayAnswer> {
    const name: RequestKeyName = {
      subject: request.subject,
      projectId: request.projectId ?? '',
      operation: request.tool,
      requestKey: request.requestKey,
    };
    const holder = newId();
    const row = await this.#repository.claim(name, {
      digest: request.digest,
      holder,
      holdMs: HOLD_MS,
      keepMs: KEEP_MS,
    });
    // The holder let go between the two looks; the caller tries again.
    if (row === undefined) return { state: 'running' };
    if (row.digest !== request.digest) return { state: 'conflict' };
    if (row.holder === holder) return { state: 'claimed', claim: this.#claimOf(name, holder) };
    if (row.answer_lost) return { state: 'answer_lost' };
    if (row.holder !== null) return { state: 'running' };
    // because `complete` stores nothing else
    return { state: 'completed', outcome: row.outcome as ReplayOutcome };
  }

  /** Forgets what is older than a day; the number forgotten. */
  sweepExpired(limit = 5_000): Promise<number> {
    return this.#repository.deleteExpired(limit);
  }

  #claimOf(name: RequestKeyName, holder: string): ReplayClaim {
    return {
      run: (work) =>
        withEffectMark(async (tx) => {
          if (!(await this.#repository.markEffect(tx, name, holder)))
            throw new AppError(
              'unavailable',
              'The call took too long and was given up. Try again with the same request_key.',
            );
        }, work),
      complete: (outcome) => this.#repository.complete(name, holder, outcome),
      release: () => this.#repository.release(name, holder),
    };
  }
}
