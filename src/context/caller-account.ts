import type { AccountContext } from './account-context.ts';

/** What a context takes over from the request it is made for. */
export interface CallFacts {
  readonly clientIp: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/**
 * The context of one request. A class, because the signal is read late - most calls never look at it, and making it
 * costs a listener on the socket - and a getter in an object literal gives every object a shape of its own.
 */
export class CallerAccount implements AccountContext {
  readonly accountId: string;
  readonly credential: AccountContext['credential'];
  readonly permissions: AccountContext['permissions'];
  readonly clientIp: string;
  readonly requestId: string;
  readonly #call: CallFacts;

  constructor(call: CallFacts, who: Pick<AccountContext, 'accountId' | 'credential' | 'permissions'>) {
    this.accountId = who.accountId;
    this.credential = who.credential;
    this.permissions = who.permissions;
    this.clientIp = call.clientIp;
    this.requestId = call.requestId;
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}
