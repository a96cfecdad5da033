import type { OpenAI } from 'openai';
import { ModelFault } from '../../domain/models/index.ts';
import type { ChatModel, ModelReply, ModelRequest } from '../../domain/models/index.ts';
import { MINUTE_MS, SECOND_MS, sleep } from '../../kernel/duration.ts';
import { backoffMs } from '../../kernel/retry.ts';
import { AnswerTooLarge, boundedFetch } from './bounded-fetch.ts';
import { toBody, toReply, unreadable } from './wire.ts';

export interface OpenAiChatModelParts {
  /** Address of the API, such as `https://api.openai.com/v1`. */
  readonly url: string;
  /** Servers on one's own machine often want none. */
  readonly apiKey?: string;
  readonly model: string;
  /** For one try, from the first byte sent to the last one read. */
  readonly timeoutMs: number;
  /** The wait before the second try without a word of the server's; it doubles. */
  readonly retryBaseMs?: number;
}

const TRIES = 3;
const RETRY_BASE_MS = SECOND_MS / 2;
const RETRY_MAX_MS = 30 * SECOND_MS;
/** A server that asks for more patience than this is not waited for. */
const RETRY_AFTER_MAX_MS = MINUTE_MS;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** A fault with what the server said about trying again. */
interface Refused {
  readonly fault: ModelFault;
  readonly isRetryable: boolean;
  readonly retryAfterMs?: number;
}

/** A model behind any server that speaks OpenAI's chat completions. The client library is loaded with the first call. */
export class OpenAiChatModel implements ChatModel {
  readonly #parts: OpenAiChatModelParts;
  #client: Promise<OpenAI> | undefined;

  constructor(parts: OpenAiChatModelParts) {
    this.#parts = parts;
  }

  get name(): string {
    return this.#parts.model;
  }

  async complete(request: ModelRequest): Promise<ModelReply> {
    const { signal } = request;
    const { retryBaseMs = RETRY_BASE_MS } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      const answer = await this.#try(request);
      if ('reply' in answer) return answer.reply;
      const { fault, isRetryable, retryAfterMs = 0 } = answer.refused;
      if (!isRetryable || attempt >= TRIES || retryAfterMs > RETRY_AFTER_MAX_MS) throw fault;
      const backoff = backoffMs(attempt, { baseMs: retryBaseMs, maxMs: RETRY_MAX_MS });
      // A little later than asked, so that those who were told the same moment do not meet again.
      await sleep(retryAfterMs === 0 ? backoff : retryAfterMs + backoff / 4, signal);
    }
  }

  async #try(request: ModelRequest): Promise<{ readonly reply: ModelReply } | { readonly refused: Refused }> {
    const { model, timeoutMs } = this.#parts;
    const { signal } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const client = await this.#connected();
      const answer: unknown = await client.chat.completions.create(toBody(model, request), {
        // Also ends an answer that stalls in the middle, which the library's own limit does not look at.
        signal: AbortSignal.any([signal, timeout]),
      });
      return { reply: toReply(answer) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelFault) return { refused: { fault: error, isRetryable: false } };
      return { refused: timeout.aborted ? timedOut(timeoutMs) : refusedBy(error) };
    }
  }

  #connected(): Promise<OpenAI> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<OpenAI> {
    const { url, apiKey, timeoutMs } = this.#parts;
    const { OpenAI } = await import('openai');
    return new OpenAI({
      baseURL: url,
      apiKey: apiKey ?? 'none',
      ...(apiKey === undefined && { defaultHeaders: { authorization: null } }),
      // Named, because the library looks into the environment for what is not.
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: 'off',
      timeout: timeoutMs,
      maxRetries: 0,
      fetch: boundedFetch(MAX_ANSWER_BYTES),
    });
  }
}

function timedOut(timeoutMs: number): Refused {
  const seconds = Math.round(timeoutMs / SECOND_MS);
  return {
    fault: new ModelFault('timeout', `The model did not answer within ${seconds} seconds.`),
    isRetryable: true,
  };
}

/** What went wrong, in our words; the provider's may hold anything, the key included. */
function refusedBy(error: unknown): Refused {
  if (isTooLarge(error)) {
    return {
      fault: new ModelFault('too_large', 'The answer of the model is too large to be read.'),
      isRetryable: false,
    };
  }
  const status = numberOf(error, 'status');
  if (status === undefined) {
    // A body that is no JSON is a fault of the server's making; all else is the network.
    if (error instanceof SyntaxError) return { fault: unreadable(error), isRetryable: false };
    const fault = new ModelFault('unreachable', 'The model provider cannot be reached, or broke off in its answer.', {
      cause: error,
    });
    return { fault, isRetryable: true };
  }
  const retryAfter = retryAfterMs(error);
  return { ...refusedWith(status), ...(retryAfter !== undefined && { retryAfterMs: retryAfter }) };
}

function refusedWith(status: number): Refused {
  const says = `(it answered with status ${status})`;
  if (status === 429) {
    return { fault: new ModelFault('busy', `The model provider asks to slow down ${says}.`), isRetryable: true };
  }
  if (status === 401 || status === 403) {
    return {
      fault: new ModelFault('denied', `The model provider refuses the credential or the model ${says}.`),
      isRetryable: false,
    };
  }
  if (status === 408 || status === 409 || status >= 500) {
    return { fault: new ModelFault('unreachable', `The model provider fails ${says}.`), isRetryable: true };
  }
  return {
    fault: new ModelFault('rejected', `The model provider does not take the request ${says}.`),
    isRetryable: false,
  };
}

function retryAfterMs(error: unknown): number | undefined {
  const headers = error instanceof Error && 'headers' in error ? error.headers : undefined;
  if (!(headers instanceof Headers)) return undefined;
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * SECOND_MS;
  const until = Date.parse(text);
  const from = Date.parse(headers.get('date') ?? '');
  // Both times are the server's, so its clock need not agree with this one.
  return Number.isFinite(until) && Number.isFinite(from) ? Math.max(0, until - from) : undefined;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof AnswerTooLarge || (error instanceof Error && error.cause instanceof AnswerTooLarge);
}

function numberOf(error: unknown, field: string): number | undefined {
  const value: unknown = error instanceof Error ? Reflect.get(error, field) : undefined;
  return typeof value === 'number' ? value : undefined;
}
