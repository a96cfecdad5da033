import type { JsonObject } from '../contain/json.ts';
import type { Answer } from './message.ts';

/** Header lines that go with a message over HTTP; other transports leave them out. */
export type Headers = Readonly<Record<string, string>>;

export interface Ask {
  readonly method: string;
  readonly params: JsonObject;
  readonly headers: Headers;
  /** Shorter than the usual time, for questions that some servers leave unanswered. */
  readonly timeoutMs?: number;
}

/** One conversation with one server. */
export interface Transport {
  ask(ask: Ask): Promise<Answer>;
  tell(ask: Omit<Ask, 'timeoutMs'>): Promise<void>;
  close(): Promise<void>;
}
