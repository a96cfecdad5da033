/** One message of a conversation with a model, in the order it was said. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly ModelCall[] }
  /** What a function answered; `callId` is the call it answers. */
  | { readonly role: 'function'; readonly callId: string; readonly text: string };

/** A function that the model wants to have called. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them, which need not be JSON. */
  readonly arguments: string;
}

/** A function that the model may ask for. */
export interface ModelFunction {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly functions: readonly ModelFunction[];
  /** Longest answer. */
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface ModelReply {
  /** Empty when the model only calls functions. */
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly ending: 'complete' | 'cut' | 'refused';
  /** As the provider counted; absent when it did not. */
  readonly usage?: ModelUsage;
}

export type ModelFaultKind =
  'busy' | 'unreachable' | 'timeout' | 'rejected' | 'denied' | 'unreadable' | 'too_large' | 'budget';

/** Why a model gave no answer, in words that can be shown: nothing of what the provider said is in them. */
export class ModelFault extends Error {
  readonly kind: ModelFaultKind;

  constructor(kind: ModelFaultKind, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ModelFault';
    this.kind = kind;
  }
}

/**
 * A language model behind some provider. Implementations bound every answer in time and size, repeat what is worth
 * repeating, throw `ModelFault` and never keep or log what was said.
 */
export interface ChatModel {
  /** The name of the model, for the record of costs. */
  readonly name: string;
  /** Throws the signal's reason when that aborts. */
  complete(request: ModelRequest): Promise<ModelReply>;
}
