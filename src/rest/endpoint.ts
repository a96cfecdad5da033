import type { IncomingHttpHeaders } from 'node:http';
import type { AccountContext } from '../context/account-context.ts';

/** How an endpoint stands to agents. Every class but `mcp_ready` says why. */
export interface EndpointImpact {
  readonly class: 'mcp_ready' | 'cli_guided' | 'frontend_only' | 'out_of_scope';
  readonly reason?: string;
  /** Tools, resources and prompts that cover it. */
  readonly covers: readonly string[];
}

export interface EndpointParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
}

/** What the router needs to know of one REST operation; the generated contracts satisfy it. */
export interface EndpointContract {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` stands for one path segment. */
  readonly path: string;
  readonly auth: 'none' | 'api_key' | 'session' | 'account';
  readonly permission?: 'read' | 'write';
  readonly mcpImpact: EndpointImpact;
  readonly parameters: readonly EndpointParameter[];
  /** The body, when there is one. */
  readonly request?: { readonly contentTypes: readonly string[]; readonly maxBytes: number };
  readonly response: { readonly status: number; readonly contentType?: string };
}

/** What every handler is given besides its request. */
export interface EndpointContext {
  readonly requestId: string;
  readonly clientIp: string;
  /** Sent from this machine itself, not passed on by a proxy on it. */
  readonly isLocal: boolean;
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
}

export interface KeyedEndpointContext extends EndpointContext {
  readonly account: AccountContext;
  /** Of a person who is signed in: the token that the session's changes need. */
  readonly csrfToken?: string;
}

/** Binds the generated handler interface. */
export interface EndpointContexts {
  readonly none: EndpointContext;
  readonly api_key: KeyedEndpointContext;
  readonly session: KeyedEndpointContext;
  readonly account: KeyedEndpointContext;
}

/** A handler as the router calls it: the generated interface has typed each one for its own contract. */
export type EndpointHandler = (
  request: {
    readonly parameters: never;
    /** Raw bytes, or the checked value where the contract has a schema. */
    readonly body: never;
  },
  context: KeyedEndpointContext,
) => Promise<unknown>;
