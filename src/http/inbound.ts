import type { IncomingHttpHeaders } from 'node:http';

/** A credential as the caller presented it, before anybody knows whether it is good. */
export interface PresentedCredential {
  readonly source: 'x-api-key' | 'bearer';
  /** The secret itself; never logged, never stored. */
  readonly token: string;
  /** SHA-256 of the token in lower-case hex, computed once for the rate limit and the look-up. */
  readonly sha256: string;
}

/** What the guards learnt about a request; the only thing an authenticator gets to see. */
export interface InboundCall {
  readonly requestId: string;
  readonly clientIp: string;
  readonly method: string;
  /** Path of the URL, without query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly credential: PresentedCredential | undefined;
  /** Aborts when the caller goes away or the work's time is up. Made when first read, so a context should read it late. */
  readonly signal: AbortSignal;
}
