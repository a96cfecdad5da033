import type { Principal } from './ports.ts';

/** A content item of a result, as the protocol spells it. */
export type RawContent = Readonly<Record<string, unknown>> & { readonly type: string };

export interface RawToolResult {
  readonly content: readonly RawContent[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

/** Asks the client for input before the answer can be given; 2026 revision only. */
export interface InputRequest {
  readonly inputRequests: Readonly<
    Record<string, { readonly method: string; readonly params: Readonly<Record<string, unknown>> }>
  >;
  /** Opaque state that comes back with the answers; make it with `call.seal`. */
  readonly requestState?: string;
}

/** A call of an extension, with the parts of the protocol that a contract tool never needs. */
export interface RawCall<A> {
  readonly principal: Principal<A>;
  readonly era: 'legacy' | 'modern';
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Declared by the client for this request. */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** Answers to an earlier `InputRequest`. */
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  /** State sealed in an earlier round; verified, else undefined. */
  readonly state: unknown;
  readonly progressToken: string | number | undefined;
  seal(state: unknown): Promise<string>;
  progress(progress: number, total?: number, message?: string): Promise<void>;
  log(level: string, data: unknown): Promise<void>;
  listChanged(list: 'tools' | 'prompts' | 'resources'): void;
}

export type RawTask = {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly statusMessage?: string;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
  readonly ttlMs: number | null;
  readonly pollIntervalMs?: number;
  readonly result?: RawToolResult;
  readonly error?: { readonly code: number; readonly message: string };
  readonly inputRequests?: InputRequest['inputRequests'];
};

export interface ExtensionTool<A> {
  /** Published as it stands: name, title, description, inputSchema, annotations. */
  readonly definition: Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly inputSchema: Readonly<Record<string, unknown>>;
  };
  readonly permission: 'read' | 'write';
  /** The client must declare the tasks extension. */
  readonly taskRequired?: boolean;
  run(
    args: Readonly<Record<string, unknown>>,
    call: RawCall<A>,
  ): Promise<RawToolResult | InputRequest | { readonly task: RawTask }>;
}

export interface ExtensionResource<A> {
  /** Published as it stands: `uri` or `uriTemplate`, name, title, description, mimeType. */
  readonly definition: Readonly<Record<string, unknown>> & { readonly name: string };
  /** Contents for a URI this resource serves, undefined for any other. */
  read(uri: string, call: RawCall<A>): Promise<readonly Readonly<Record<string, unknown>>[] | undefined>;
}

export interface ExtensionPrompt<A> {
  /** Published as it stands: name, title, description, arguments. */
  readonly definition: Readonly<Record<string, unknown>> & { readonly name: string };
  render(
    args: Readonly<Record<string, string>>,
    call: RawCall<A>,
  ): Promise<{ readonly messages: readonly unknown[] } | InputRequest>;
  /** Suggests values for one argument. */
  complete?(argument: string, value: string): Promise<readonly string[]>;
}

/** Tasks that extension tools started. Reads are for the caller given; foreign and unknown ids answer undefined. */
export interface ExtensionTasks<A> {
  get(principal: Principal<A>, taskId: string): Promise<RawTask | undefined>;
  cancel(principal: Principal<A>, taskId: string): Promise<boolean>;
  update(principal: Principal<A>, taskId: string, responses: Readonly<Record<string, unknown>>): Promise<boolean>;
}

/**
 * What a project serves beside its contract: content that is not JSON, progress, logging, rounds of input, own tasks.
 * Everything here goes through the SDK leg of its revision, never through the fast lane.
 */
export interface Extensions<A> {
  readonly tools?: readonly ExtensionTool<A>[];
  readonly resources?: readonly ExtensionResource<A>[];
  readonly prompts?: readonly ExtensionPrompt<A>[];
  readonly tasks?: ExtensionTasks<A>;
  /** Handshake revisions: accept `logging/setLevel`, and send what `call.log` says on the call's own stream. */
  readonly logging?: boolean;
  /** Handshake revisions: accept `resources/subscribe`; nothing is ever pushed, since nothing is kept between calls. */
  readonly subscriptions?: boolean;
  /** 2026 revision: lists can change while somebody listens; `call.listChanged` tells the listeners. */
  readonly listChanged?: boolean;
}
