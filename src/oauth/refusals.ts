import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import type { AgentCall, RefreshAnswer } from '../domain/identity/index.ts';
import type { Clock } from '../kernel/clock.ts';

export interface RefusalsParts {
  readonly audit: { record(call: AgentCall): void };
  readonly clock: Clock;
  readonly clientIp: (ctx: Koa.Context) => string;
}

/**
 * Puts refused uses of a person's tokens into the record of what was done in their name. The library sees a request
 * made anew; this remembers which one it stands for.
 */
export class Refusals {
  readonly #parts: RefusalsParts;
  readonly #facts = new WeakMap<IncomingMessage, Pick<AgentCall, 'requestId' | 'clientIp'>>();

  constructor(parts: RefusalsParts) {
    this.#parts = parts;
  }

  /** Remembers where the library's request came from. */
  follow(inner: IncomingMessage, ctx: Koa.Context): IncomingMessage {
    const requestId = String(ctx.state['requestId'] ?? '');
    this.#facts.set(inner, { requestId, clientIp: this.#parts.clientIp(ctx) });
    return inner;
  }

  noteRefresh(inner: IncomingMessage, { refused, owner }: Extract<RefreshAnswer, { readonly refused: string }>): void {
    const facts = this.#facts.get(inner);
    if (owner === undefined || facts === undefined) return;
    this.#parts.audit.record({
      ...facts,
      at: this.#parts.clock.now(),
      subject: owner.accountId,
      credentialId: owner.grantId,
      kind: 'oauth',
      name: refused === 'reused' ? 'refresh_replayed' : 'refresh',
      outcome: 'authentication_failed',
      durationMs: 0,
    });
  }
}
