/** One operation by an agent, for the audit: who did what, how it ended, how long it took. Never its arguments. */
export interface AgentCall {
  readonly at: Date;
  readonly requestId: string;
  readonly clientIp: string;
  /** The account that called. */
  readonly subject: string;
  readonly credentialId: string;
  readonly projectId?: string | undefined;
  readonly kind: string;
  /** Name of the tool, resource, prompt or completion, as the contract spells it. */
  readonly name: string;
  /** `ok`, an error code, or `cancelled`. */
  readonly outcome: string;
  readonly durationMs: number;
}

/** A stored call as a person reads it. */
export interface AgentCallRow {
  readonly id: string;
  readonly at: Date;
  readonly clientIp: string;
  readonly kind: string;
  readonly name: string;
  readonly durationMs: number;
  readonly projectId?: string;
  /** Absent when the call succeeded. */
  readonly errorCode?: string;
  readonly accountEmail?: string;
  /** Name of the key or the client that called, while it is known. */
  readonly credentialName?: string;
}

/** Calls in one project, or of one account anywhere. */
export type AgentCallFilter = ({ readonly projectId: string } | { readonly accountId: string }) & {
  readonly name?: string;
  readonly outcome?: 'ok' | 'error';
};
