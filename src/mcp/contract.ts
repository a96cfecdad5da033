/**
 * What the MCP runtime needs to know about a contract. `generated/catalog` satisfies these shapes structurally,
 * so the runtime imports no product code and any other contract tree can be served by it.
 */

/** A JSON Schema as published on the wire. */
export type WireSchema = Readonly<Record<string, unknown>>;

/** One fault found by a generated validator; the JSON pointer is relative to the validated value. */
export interface ValidationFault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** A generated standalone validator. Input validators also fill defaults in place. Never shares state between calls. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly ValidationFault[] | null;
}

export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface LifecycleContract {
  readonly stability: 'draft' | 'alpha' | 'beta' | 'stable';
  readonly deprecated?: {
    readonly since: string;
    readonly sunset: string;
    readonly replacement?: string;
    readonly reason: string;
  };
}

export interface ToolContract extends LifecycleContract {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly domain: string;
  readonly title: string;
  readonly description: string;
  readonly context: 'account' | 'project';
  readonly permission: 'read' | 'write';
  readonly scopes: readonly string[];
  readonly annotations: ToolAnnotations;
  readonly costClass: 'free' | 'compute' | 'llm' | 'gpu';
  readonly asyncMode: 'sync' | 'job';
  readonly job?: string;
  readonly idempotency: 'none' | 'natural' | 'key';
  readonly timeoutMs: number;
  readonly errors: readonly string[];
  /** Names of the authored arguments, for did-you-mean. */
  readonly argumentNames: readonly string[];
  /** Portable wire schema; for a project tool `account` has the required `project_id`, `project` has none. */
  readonly inputSchema: { readonly account: WireSchema; readonly project: WireSchema };
  /** Published output schemas (open objects); `none` is the absence. */
  readonly outputSchema: { readonly compact: WireSchema; readonly full: WireSchema };
}

export interface ResourceContract extends LifecycleContract {
  readonly name: string;
  readonly domain: string;
  readonly title: string;
  readonly description: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly mimeType: string;
  readonly context: 'account' | 'project' | 'none';
  readonly permission: 'read' | 'write';
  readonly cache: { readonly ttlMs: number; readonly scope: 'private' | 'public' };
  readonly variables: readonly { readonly name: string; readonly completion?: string }[];
  /** Further query parameters besides the injected `project_id`. */
  readonly query: readonly { readonly name: string }[];
  /** Error a missing entity answers with, e.g. `dataset_not_found`. */
  readonly notFound?: string;
  /** Fixed guidance text, when the resource has no reader. */
  readonly text?: string;
}

export type PromptPart = { readonly text: string } | { readonly argument: string };

export interface PromptContract extends LifecycleContract {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly permission: 'read' | 'write';
  readonly arguments: readonly {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly required: boolean;
    readonly maxLength: number;
    readonly completion?: string;
  }[];
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly parts: readonly PromptPart[] }[];
}

export interface JobContract {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly title: string;
  readonly statuses: Readonly<Record<string, 'active' | 'waiting' | 'succeeded' | 'failed'>>;
  readonly pollMs: number;
  readonly retentionMs: number;
}

export interface ErrorContract {
  readonly code: string;
  readonly class: string;
  readonly retryable: boolean;
  readonly http: number;
  readonly recovery: string;
}

/** A name that was withdrawn for good; calls by it are told so instead of being taken for a slip. */
export interface TombstoneContract {
  readonly kind: string;
  readonly name: string;
  /** Version that withdrew it. */
  readonly removed: string;
  readonly replacement?: string;
}

/** Everything `generated/catalog` exports, as one value. Lists are sorted by name. */
export interface CatalogContract {
  readonly server: {
    readonly name: string;
    readonly title: string;
    readonly version: string;
    readonly uriScheme: string;
    readonly instructions: string;
  };
  /** SHA-256 over the whole published surface. */
  readonly contractHash: string;
  readonly tools: readonly ToolContract[];
  readonly resources: readonly ResourceContract[];
  readonly prompts: readonly PromptContract[];
  readonly jobs: readonly JobContract[];
  readonly errors: Readonly<Record<string, ErrorContract>>;
  readonly tombstones?: readonly TombstoneContract[];
  readonly validators: {
    readonly toolInput: Readonly<Record<string, Validator>>;
    readonly toolOutput: Readonly<Record<string, Validator>>;
    readonly resourceVariables: Readonly<Record<string, Validator>>;
    readonly resourcePayload: Readonly<Record<string, Validator>>;
    readonly promptArguments: Readonly<Record<string, Validator>>;
  };
}
