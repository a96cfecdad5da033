/** Who calls, as one credential proves it. Immutable, made once per request by the authenticator. */
export interface AccountContext {
  readonly accountId: string;
  /** The credential in use; goes to the audit row, never to a result. */
  readonly credential: {
    readonly kind: 'api_key' | 'oauth' | 'session';
    readonly id: string;
    /** A project credential is limited to this one project. */
    readonly projectId?: string;
    /** The same project as the credential's look-up found it: active, and its account a member. */
    readonly project?: { readonly id: string; readonly name: string; readonly slug: string };
  };
  readonly permissions: { readonly read: boolean; readonly write: boolean };
  readonly clientIp: string;
  readonly requestId: string;
  /** Aborts when the caller goes away or the tool's time is up. */
  readonly signal: AbortSignal;
}
