import type Koa from 'koa';
import type { AccountContext } from '../context/account-context.ts';
import type { InboundCall } from '../http/inbound.ts';

/** A person as the cookie of a browser proves it. */
export interface SignedInCaller {
  readonly account: AccountContext;
  /** What this session must send in `X-Csrf-Token` with everything that changes something. */
  readonly csrfToken: string;
}

/** People who are signed in at the Console, for the endpoints that take them beside keys. */
export interface SessionAccess {
  /**
   * Undefined without a live session. Throws `Refusal` when the request would change something and comes from a
   * foreign page or without the session's token: a cookie comes along whoever sends the browser here.
   */
  admit(ctx: Koa.Context, call: InboundCall): Promise<SignedInCaller | undefined>;
}
