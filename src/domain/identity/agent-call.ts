/** One operation by an agent, for the audit: who did what, how it ended, how long it took. Never its arguments. */
export interface AgentCall {
  readonly at: Date;
  readonly requestId: string;
  readonly clientIp: string;
  /** The account that called. */
  readonly subject: string;
  readonly credentialId: string;
  readonly projectId?: string;
  readonly kind: string;
  /** Name of the tool, resource, prompt or completion, as the contract spells it. */
  readonly name: string;
  /** `ok` or an error code. */
  readonly outcome: string;
  readonly durationMs: number;
}
