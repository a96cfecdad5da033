import { createHash } from 'node:crypto';
import { AppError } from './errors.ts';
import { canonicalJson } from './json.ts';
import type { Logger } from './logger.ts';

export type ReplayOutcome = { readonly output: unknown };

/** A claim on one request key. Exactly one of its methods is called, once. */
export interface ReplayClaim {
  /** Carries out the work; the store notes its effect together with it, so that it never happens twice. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Stores the outcome that later calls with the same key and arguments get. */
  complete(outcome: ReplayOutcome): Promise<void>;
  /** Frees the key: the call failed, so the caller may try again with it. */
  release(): Promise<void>;
}

export type ReplayAnswer =
  | { readonly state: 'claimed'; readonly claim: ReplayClaim }
  | { readonly state: 'completed'; readonly outcome: ReplayOutcome }
  /** The first call with this key and these arguments has not ended. */
  | { readonly state: 'running' }
  /** The first call took effect, and its answer was lost with the process that made it. */
  | { readonly state: 'answer_lost' }
  /** The key was used with other arguments. */
  | { readonly state: 'conflict' };

/** One request as the store knows it. */
export interface KeyedRequest {
  readonly subject: string;
  readonly projectId: string | undefined;
  readonly tool: string;
  readonly requestKey: string;
  /** SHA-256 in hex over the canonical arguments without the key. */
  readonly digest: string;
}

/** Remembers the first outcome per caller, project, operation and request key for a day. */
export interface IdempotencyStore {
  claim(request: KeyedRequest): Promise<ReplayAnswer>;
}

export interface ReplayRequest extends Omit<KeyedRequest, 'digest'> {
  readonly input: Record<string, unknown>;
}

/**
 * Runs work at most once per request key. The outcome of the first call is kept and answered again; a call that
 * fails changes nothing, so it frees its key.
 */
export async function replayOrRun(
  store: IdempotencyStore,
  logger: Logger,
  request: ReplayRequest,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const digest = createHash('sha256').update(canonicalJson(request.input)).digest('hex');
  const { subject, projectId, tool, requestKey } = request;
  const answer = await store.claim({ subject, projectId, tool, requestKey, digest });
  switch (answer.state) {
    case 'completed':
      return answer.outcome.output;
    case 'conflict':
      throw new AppError(
        'request_conflict',
        'This request_key was used with other arguments. Choose a new key for new work.',
      );
    case 'answer_lost':
      throw new AppError(
        'request_conflict',
        'The first call with this request_key took effect, but its answer was lost. List what it made instead of repeating it.',
        { fields: { effect: 'committed' } },
      );
    case 'running':
      throw new AppError(
        'request_conflict',
        'The first call with this request_key is still running. Repeat the same call in a few seconds to get its outcome.',
      );
    case 'claimed':
      break;
  }
  let output: unknown;
  try {
    output = await answer.claim.run(run);
  } catch (error) {
    await answer.claim
      .release()
      .catch((cause: unknown) => logger.error('request key not released', { tool, error: cause }));
    throw error;
  }
  // The work is done: a store that fails now must not turn it into a failure the caller would repeat.
  await answer.claim
    .complete({ output })
    .catch((cause: unknown) => logger.error('request key not completed', { tool, error: cause }));
  return output;
}
