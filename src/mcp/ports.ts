import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { InboundCall } from '../http/inbound.ts';
import type { IdempotencyStore } from '../kernel/replay.ts';

/**
 * What the runtime asks of the project that uses it. `A` is that project's account context and `P` its project
 * context; the runtime hands both on to handlers and never looks inside.
 */

/** The caller, as one good credential proves it. */
export interface Principal<A> {
  /** Goes to account tools, account resources and the project resolver. */
  readonly account: A;
  /** Stable id of who calls; keys the audit row, replays and sealed state. */
  readonly subject: string;
  readonly credentialId: string;
  readonly permissions: { readonly read: boolean; readonly write: boolean };
  /** Set when the credential is limited to this one project. */
  readonly projectId?: string;
  /**
   * Set when the caller can be granted more: the HTTP answer, with its challenge, to an operation that needs a
   * permission the credential lacks. Absent: the operation itself answers `permission_denied`.
   */
  readonly stepUp?: (permission: 'read' | 'write') => Denial;
}

/** Why a credential is refused. `code` is from the contract's error list. */
export interface Denial {
  readonly status: 401 | 403;
  readonly code: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Value of `WWW-Authenticate`, when there is a challenge to make. */
  readonly challenge?: string;
  /** Whose credential it was, when it is known though refused; such a try goes to the audit. */
  readonly about?: { readonly subject: string; readonly credentialId: string };
}

export type Authentication<A> = { readonly principal: Principal<A> } | { readonly denial: Denial };

/** Turns a presented credential into a principal. May answer at once; a thrown error becomes 500 without detail. */
export type Authenticator<A> = (call: InboundCall) => Authentication<A> | Promise<Authentication<A>>;

export interface ResolvedProject<P> {
  readonly id: string;
  /** Goes to project tools, project resources and completions. */
  readonly context: P;
}

/**
 * Finds the project a call works in. Answers undefined for malformed, unknown and inaccessible ids alike, so that
 * nobody can tell them apart. Called with the credential's own project, or with the id the caller sent.
 */
export type ProjectResolver<A, P> = (
  principal: Principal<A>,
  projectId: string,
) => ResolvedProject<P> | undefined | Promise<ResolvedProject<P> | undefined>;

export type OperationKind = 'tool' | 'resource' | 'prompt' | 'completion' | 'task' | 'request';

/** One finished operation. Holds no arguments and no results. */
export interface AuditEntry {
  readonly at: Date;
  readonly requestId: string;
  readonly clientIp: string;
  readonly subject: string;
  readonly credentialId: string;
  readonly projectId: string | undefined;
  readonly kind: OperationKind;
  /** Tool, resource, prompt, completion or method name as the contract or protocol spells it; never a caller's own text. */
  readonly name: string;
  /** `ok`, an error code of the contract, or `cancelled`: the client left before the end. */
  readonly outcome: string;
  readonly durationMs: number;
}

/** Takes entries without blocking the answer; batches and stores them on its own time. Must not throw. */
export interface AuditSink {
  record(entry: AuditEntry): void;
  /** A promise while more entries are waiting than can be stored soon; rejects when they stay. Ask before any work. */
  room?(): Promise<void> | undefined;
}

/** State of a background job, as a task is served from it. */
export interface JobState {
  /** Public status word of the job's contract; its class decides the task's status. */
  readonly status: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** What a finished job answers, a JSON object the caller may see. */
  readonly output: Readonly<Record<string, unknown>>;
  /** Why a failed job failed. */
  readonly error?: { readonly code: string; readonly message: string };
  /** One line on how far it is. */
  readonly statusMessage?: string;
}

/** Reads a job for a caller. Answers undefined for unknown and foreign jobs alike. */
export interface JobPort<A> {
  find(
    principal: Principal<A>,
    job: { readonly kind: string; readonly id: string; readonly projectId: string | undefined },
  ): Promise<JobState | undefined>;
}

/** Counters and timings; must be cheap, is called on the hot path. */
export interface Metrics {
  /** One finished operation; `outcome` is `ok`, an error code, or `cancelled`. */
  operation(kind: OperationKind, name: string, outcome: string, durationMs: number): void;
  /** A request a guard refused, by status and reason code. */
  refused(status: number, reason: string): void;
  /** A use of a deprecated or aliased contract name. */
  deprecated(kind: OperationKind, name: string, how: 'alias' | 'deprecated' | 'retired'): void;
}

export interface McpPorts<A, P> {
  readonly authenticate: Authenticator<A>;
  readonly resolveProject: ProjectResolver<A, P>;
  readonly audit: AuditSink;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Needed as soon as one tool says `idempotency: key`. */
  readonly idempotency?: IdempotencyStore;
  /** Needed for the tasks extension; without it job receipts are served as results only. */
  readonly jobs?: JobPort<A>;
}
