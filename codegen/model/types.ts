/**
 * The contract model: what the documents under `schemas/` mean once they are read, checked and resolved.
 * Everything is readonly, frozen and sorted by name. Rules and emitters read it and never write to it.
 */

import type { Budgets } from './budgets.ts';
import type { ProfileNeed } from './profile-needs.ts';

/** Where something stands in the authored tree. Lines and columns count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export type JsonPath = readonly (string | number)[];

/**
 * Finds the position of a JSON path inside one document; falls back to the nearest ancestor that exists.
 * `key` asks for the key that holds the value instead of the value itself.
 */
export type Locate = (path: JsonPath, at?: 'key' | 'value') => SourcePosition;

export interface Source {
  /** Path relative to the contract root, with forward slashes. */
  readonly file: string;
  readonly locate: Locate;
  /** Where the entity stands in its file, for entries of a list. */
  readonly base?: JsonPath;
}

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * A JSON Schema 2020-12 object. In the model objects are closed, `$ref: model:x` has become
 * `#/$defs/<TypeName>` of the bundle, and grammar-only keywords are still present.
 */
export type JsonSchema = boolean | { readonly [keyword: string]: JsonValue };

export type Stability = 'draft' | 'alpha' | 'beta' | 'stable';
export type CostClass = 'free' | 'compute' | 'llm' | 'gpu';
export type Permission = 'read' | 'write';

export interface Deprecation {
  readonly since: string;
  /** ISO date after which calls answer `tool_retired`. */
  readonly sunset: string;
  readonly replacement?: string;
  readonly reason: string;
}

export interface Lifecycle {
  readonly stability: Stability;
  readonly deprecated?: Deprecation;
}

export interface Behaviour {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
  readonly scopes: readonly string[];
  readonly costClass: CostClass;
  readonly asyncMode: 'sync' | 'job';
  readonly idempotency: 'none' | 'natural' | 'key';
  readonly timeoutSeconds: number;
}

export interface Reference {
  /** The argument or template variable that names the entity. */
  readonly argument: string;
  readonly entity: string;
  readonly error: string;
}

export interface Example {
  readonly name: string;
  readonly input: JsonValue;
  readonly output?: JsonValue;
}

export interface ToolSpec extends Lifecycle {
  readonly kind: 'tool';
  readonly name: string;
  /** PascalCase stem of the generated types: `QueryDataset` gives `QueryDatasetInput`. */
  readonly typeName: string;
  readonly aliases: readonly string[];
  readonly domain: string;
  readonly title: string;
  readonly description: string;
  readonly behaviour: Behaviour;
  readonly permission: Permission;
  readonly context: 'account' | 'project';
  readonly references: readonly Reference[];
  /** Authored input, closed; never contains the injected `project_id`. */
  readonly input: JsonSchema;
  readonly noArguments: boolean;
  readonly output: JsonSchema;
  /** Kind of the receipt in `output.job`, when `asyncMode` is `job`. */
  readonly job?: string;
  /** Declared and implied codes, sorted. */
  readonly errors: readonly string[];
  readonly declaredErrors: readonly string[];
  readonly examples: readonly Example[];
  readonly source: Source;
}

export interface ModelSpec {
  readonly kind: 'model';
  readonly name: string;
  readonly typeName: string;
  readonly title: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly source: Source;
}

/** A `$defs` entry of one body, lifted into the bundle under a name that is unique in the whole tree. */
export interface DefinitionSpec {
  readonly kind: 'definition';
  /** The name its author gave it, unique inside its owner only. */
  readonly name: string;
  /** Key in the bundle: the type name of the body and the definition's name, `CreateDatasetInputStamp`. */
  readonly typeName: string;
  /** Type name of the body that declares it, `CreateDatasetInput`. */
  readonly owner: string;
  readonly schema: JsonSchema;
  readonly source: Source;
  /** Where it stands in its document. */
  readonly path: JsonPath;
}

export interface VariableSpec {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly completion?: string;
}

export interface ResourceSpec extends Lifecycle {
  readonly kind: 'resource';
  readonly name: string;
  readonly typeName: string;
  readonly domain: string;
  readonly title: string;
  readonly description: string;
  /** Exactly one of `uri` (listed) and `uriTemplate` (a template); without the injected `{?project_id}`. */
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly mimeType: string;
  readonly context: 'account' | 'project' | 'none';
  readonly scopes: readonly string[];
  readonly cache: { readonly ttlSeconds: number; readonly scope: 'private' | 'public' };
  readonly variables: readonly VariableSpec[];
  readonly query: readonly VariableSpec[];
  readonly references: readonly Reference[];
  /** Exactly one of `payload` (a JSON resource with a reader) and `text` (fixed guidance). */
  readonly payload?: JsonSchema;
  readonly text?: string;
  readonly errors: readonly string[];
  readonly examples: readonly { readonly name: string; readonly variables: { readonly [name: string]: string } }[];
  readonly source: Source;
}

export interface PromptArgument {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  readonly maxLength: number;
  readonly completion?: string;
}

/** A message is a list of parts: fixed text, or the caller's value of one argument. */
export type PromptPart = { readonly text: string } | { readonly argument: string };

export interface PromptSpec extends Lifecycle {
  readonly kind: 'prompt';
  readonly name: string;
  readonly typeName: string;
  readonly title: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly arguments: readonly PromptArgument[];
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly parts: readonly PromptPart[] }[];
  /** Names the text mentions through placeholders. */
  readonly mentions: readonly { readonly kind: 'tool' | 'resource' | 'prompt' | 'error'; readonly name: string }[];
  readonly source: Source;
}

export interface JobStatus {
  readonly name: string;
  readonly class: 'active' | 'waiting' | 'succeeded' | 'failed';
  readonly meaning: string;
}

export interface JobSpec {
  readonly kind: 'job';
  readonly name: string;
  readonly typeName: string;
  readonly aliases: readonly string[];
  readonly domain: string;
  readonly title: string;
  readonly description: string;
  readonly id: { readonly description: string; readonly maxLength: number };
  readonly payload: JsonSchema;
  readonly statuses: readonly JobStatus[];
  readonly progress?: JsonSchema;
  readonly details?: JsonSchema;
  readonly resource?: string;
  readonly attempts: number;
  readonly timeoutSeconds: number;
  readonly pollSeconds: number;
  readonly retentionDays: number;
  readonly source: Source;
}

export type ImpactClass = 'mcp_ready' | 'cli_guided' | 'frontend_only' | 'out_of_scope';

export interface EndpointSpec extends Lifecycle {
  readonly kind: 'endpoint';
  readonly name: string;
  readonly typeName: string;
  readonly domain: string;
  readonly title: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly auth: 'none' | 'api_key' | 'session' | 'account';
  readonly permission?: Permission;
  /** The part of the server that answers it by itself; absent: the router does. */
  readonly surface?: string;
  readonly mcpImpact: ImpactSpec;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required: boolean;
    readonly description: string;
    readonly schema: JsonSchema;
  }[];
  readonly request?: {
    readonly contentTypes: readonly string[];
    readonly maxBytes: number;
    readonly schema?: JsonSchema;
  };
  readonly response: { readonly status: number; readonly contentType?: string; readonly schema?: JsonSchema };
  readonly errors: readonly string[];
  readonly source: Source;
}

/** How a capability that is offered elsewhere stands to agents. */
export interface ImpactSpec {
  readonly class: ImpactClass;
  readonly reason?: string;
  readonly covers: readonly string[];
}

export interface PageSpec {
  readonly kind: 'page';
  readonly name: string;
  readonly domain: string;
  readonly title: string;
  readonly description?: string;
  readonly path: string;
  readonly access: 'public' | 'person' | 'project';
  /** As for endpoints. */
  readonly surface?: string;
  readonly mcpImpact: ImpactSpec;
  /** By name. */
  readonly actions: readonly { readonly name: string; readonly title: string; readonly destructive: boolean }[];
  readonly source: Source;
}

export interface ErrorSpec {
  readonly code: string;
  readonly class: string;
  readonly implied: boolean;
  readonly retryable: boolean;
  readonly http: number;
  readonly meaning: string;
  readonly when: string;
  readonly recovery: string;
  readonly fields?: JsonSchema;
  readonly source: Source;
}

export interface ScopeSpec {
  readonly name: string;
  readonly permission: Permission;
  readonly title: string;
  readonly meaning: string;
  readonly source: Source;
}

export interface DomainSpec {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly skill: string;
  readonly source: Source;
}

export interface ServerSpec {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly uriScheme: string;
  readonly description: string;
  readonly instructions: string;
  readonly budgets: Budgets;
  readonly source: Source;
}

/** What one client or model provider accepts. Limits that are absent do not apply. */
export interface ProfileSpec {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly limits: { readonly [limit: string]: number };
  /** Schema keywords that must not reach this client. */
  readonly refuses: readonly string[];
  /** Schema keywords that must not stand at the root of an input. */
  readonly refusesAtRoot: readonly string[];
  readonly needs: readonly ProfileNeed[];
  /** Where each limit, refusal and need was seen, and on which day. */
  readonly sources: readonly { readonly of: string; readonly source: string; readonly seen: string }[];
  readonly source: Source;
}

/** One approved change of the published surface. */
export interface ChangeSpec {
  readonly name: string;
  readonly date: string;
  readonly reason: string;
  readonly migration?: string;
  readonly owner: string;
  readonly expires?: string;
  /** Where it was discussed. */
  readonly link?: string;
  readonly approves: readonly { readonly rule: string; readonly entity: string; readonly fingerprint: string }[];
  readonly source: Source;
}

/** A name that was withdrawn and must never come back with another meaning. */
export interface TombstoneSpec {
  readonly kind: 'tool' | 'resource' | 'prompt' | 'job' | 'error' | 'scope' | 'argument' | 'value';
  /** The entity that held it, for arguments and values; empty otherwise. */
  readonly of: string;
  readonly name: string;
  /** Version that withdrew it. */
  readonly removed: string;
  readonly replacement?: string;
  readonly reason: string;
  readonly source: Source;
}

/** A finding of one file that its author answers with a reason. */
export interface SuppressionSpec {
  readonly rule: string;
  readonly reason: string;
  /** Last ISO day on which it counts. */
  readonly until?: string;
  readonly entity: string;
  readonly file: string;
  readonly source: Source;
  readonly path: JsonPath;
}

export interface ContractModel {
  readonly server: ServerSpec;
  /** In ladder order, not by name. */
  readonly domains: readonly DomainSpec[];
  readonly errors: readonly ErrorSpec[];
  readonly scopes: readonly ScopeSpec[];
  readonly models: readonly ModelSpec[];
  /** Lifted `$defs` of all bodies, by type name. Together with `models` they are the bundle. */
  readonly definitions: readonly DefinitionSpec[];
  readonly tools: readonly ToolSpec[];
  readonly resources: readonly ResourceSpec[];
  readonly prompts: readonly PromptSpec[];
  readonly jobs: readonly JobSpec[];
  readonly endpoints: readonly EndpointSpec[];
  readonly pages: readonly PageSpec[];
  readonly profiles: readonly ProfileSpec[];
  readonly changes: readonly ChangeSpec[];
  readonly tombstones: readonly TombstoneSpec[];
  /** By file and place. */
  readonly suppressions: readonly SuppressionSpec[];
}
