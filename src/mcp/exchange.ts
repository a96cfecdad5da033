import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { InboundCall, PresentedCredential } from '../http/inbound.ts';
import { monotonicMs } from '../kernel/clock.ts';
import type { Principal } from './ports.ts';
import type { Era } from './protocol.ts';

/** One HTTP request on its way through the guards. Costs little until somebody asks for its signal. */
export class Exchange implements InboundCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly clientIp: string;
  readonly path: string;
  /** Headers of whatever answer follows. */
  readonly answerHeaders: Record<string, string>;
  readonly startMs: number = monotonicMs();
  credential: PresentedCredential | undefined;
  /** Whether its end leaves a line in the access log. */
  isLogged = false;
  #controller: AbortController | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    facts: { requestId: string; clientIp: string; path: string; answerHeaders: Record<string, string> },
  ) {
    this.request = request;
    this.response = response;
    this.requestId = facts.requestId;
    this.clientIp = facts.clientIp;
    this.path = facts.path;
    this.answerHeaders = facts.answerHeaders;
  }

  get method(): string {
    return this.request.method ?? '';
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    if (this.response.destroyed && !this.response.writableFinished) controller.abort();
    else {
      this.response.once('close', () => {
        if (!this.response.writableFinished) controller.abort();
      });
    }
    return controller.signal;
  }

  /** Tells work that watches the signal to stop. */
  abort(reason: Error): void {
    if (this.#controller === undefined) void this.signal;
    this.#controller?.abort(reason);
  }
}

/** What a dispatcher function needs to know about the request it answers. */
export interface Operation<A> {
  readonly exchange: Exchange;
  readonly principal: Principal<A>;
  readonly era: Era;
  /** The body held escapes or numbers that may not survive as they are; values must be looked at. */
  readonly suspicious: boolean;
}
