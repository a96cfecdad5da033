/**
 * The surface: everything a caller of one server can meet, as plain JSON and in one shape, whether it comes from a
 * contract tree, a released snapshot or a running server. A server tells less than a contract; what it cannot tell
 * is absent here and takes part in no comparison.
 */
import type { Deprecation, JsonSchema, JobStatus, PromptPart, Stability } from '../../model/types.ts';

export const SURFACE_FORMAT = 1;

export interface Hints {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface Living {
  readonly stability: Stability;
  readonly deprecated?: Deprecation;
}

export interface ToolSurface extends Living {
  readonly title: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly hints: Hints;
  /** What the server accepts, without the injected `project_id`. References lead into `definitions`. */
  readonly input: JsonSchema;
  /** What a result is held to; absent when the server promises nothing. */
  readonly output?: JsonSchema;
  /** What listings show: input schemas by kind of credential, and the compact output schema. */
  readonly published: { readonly input: Readonly<Record<string, JsonSchema>>; readonly output?: JsonSchema };
  readonly scopes?: readonly string[];
  readonly costClass?: 'free' | 'compute' | 'llm' | 'gpu';
  readonly asyncMode?: 'sync' | 'job';
  readonly job?: string;
  readonly idempotency?: 'none' | 'natural' | 'key';
  readonly timeoutSeconds?: number;
  readonly context?: 'account' | 'project';
  /** Codes it may answer, implied ones not counted. */
  readonly errors?: readonly string[];
  readonly taskSupport?: 'forbidden' | 'optional' | 'required';
}

export interface VariableSurface {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly completion?: string;
}

export interface ResourceSurface extends Living {
  readonly title: string;
  readonly description: string;
  /** Exactly one of the two. */
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly mimeType: string;
  readonly content: 'text' | 'blob';
  readonly context?: 'account' | 'project' | 'none';
  readonly scopes?: readonly string[];
  readonly cache?: { readonly ttlSeconds: number; readonly scope: 'private' | 'public' };
  readonly variables: Readonly<Record<string, VariableSurface>>;
  readonly query: Readonly<Record<string, VariableSurface>>;
  readonly payload?: JsonSchema;
  readonly text?: string;
  readonly errors?: readonly string[];
  readonly audience?: readonly string[];
  readonly priority?: number;
  readonly size?: number;
}

export interface PromptArgumentSurface {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  readonly maxLength?: number;
  readonly completion?: string;
}

export interface PromptSurface extends Living {
  readonly title: string;
  readonly description: string;
  readonly scopes?: readonly string[];
  /** In the order hosts fill them. */
  readonly arguments: readonly PromptArgumentSurface[];
  /** Absent when the source cannot tell them. */
  readonly messages?: readonly { readonly role: 'user' | 'assistant'; readonly parts: readonly PromptPart[] }[];
  readonly tools?: readonly string[];
}

export interface JobSurface {
  readonly title: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly statuses: readonly JobStatus[];
  readonly progress?: JsonSchema;
  readonly details?: JsonSchema;
  readonly resource?: string;
  readonly pollSeconds: number;
  readonly retentionDays: number;
  readonly idMaxLength: number;
}

export interface ErrorSurface {
  readonly class: string;
  readonly implied: boolean;
  readonly retryable: boolean;
  readonly http: number;
  readonly meaning: string;
  readonly recovery: string;
  readonly fields?: JsonSchema;
}

export interface ScopeSurface {
  readonly permission: 'read' | 'write';
  readonly title: string;
  readonly meaning: string;
}

export interface EndpointSurface extends Living {
  readonly title: string;
  readonly description: string;
  readonly method: string;
  readonly path: string;
  readonly auth: string;
  readonly permission?: string;
  readonly impact: string;
  readonly maxBytes?: number;
  readonly contentTypes?: readonly string[];
  /** Path, query and header parameters as one object. */
  readonly parameters: JsonSchema;
  readonly request?: JsonSchema;
  readonly response?: JsonSchema;
  readonly status: number;
  readonly errors: readonly string[];
}

export interface ProfileSurface {
  readonly limits: Readonly<Record<string, number>>;
  readonly refuses: readonly string[];
}

/** A name that must not come back with another meaning. */
export interface TombstoneSurface {
  readonly kind: string;
  /** The entity that held it, for arguments and enum values; empty for entities themselves. */
  readonly of: string;
  readonly name: string;
  readonly removed: string;
}

/** What one kind of credential is shown in one protocol revision. */
export interface ViewSurface {
  readonly grant: string;
  readonly revision: string;
  /** Key into `published.input` of its tools. */
  readonly input: string;
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly templates: readonly string[];
  readonly prompts: readonly string[];
}

/** A named shape, and where its author wrote it. */
export interface DefinitionSurface {
  /** `model page` for a shared model, the entity of the body for one of its own definitions. */
  readonly entity: string;
  /** JSON pointer inside the contract of that entity. */
  readonly path: string;
  readonly schema: JsonSchema;
}

export interface ServerSurface {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly instructions: string;
  readonly uriScheme?: string;
  readonly revisions: readonly string[];
  /** Capabilities as dotted paths: `tools`, `resources.subscribe`. Absent when the source cannot tell. */
  readonly capabilities?: readonly string[];
  readonly extensions?: readonly string[];
}

type Named<T> = Readonly<Record<string, T>>;

export interface Surface {
  readonly format: typeof SURFACE_FORMAT;
  readonly origin: 'contracts' | 'server';
  readonly server: ServerSurface;
  /** What `#/$defs/<name>` means in every schema here. */
  readonly definitions: Named<DefinitionSurface>;
  readonly tools: Named<ToolSurface>;
  readonly resources: Named<ResourceSurface>;
  readonly prompts: Named<PromptSurface>;
  readonly jobs: Named<JobSurface>;
  readonly errors: Named<ErrorSurface>;
  readonly scopes: Named<ScopeSurface>;
  readonly endpoints: Named<EndpointSurface>;
  readonly profiles: Named<ProfileSurface>;
  readonly tombstones: readonly TombstoneSurface[];
  readonly views: readonly ViewSurface[];
}
