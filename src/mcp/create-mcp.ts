import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Dispatcher } from './dispatcher.ts';
import { Exchange } from './exchange.ts';
import { createLegs } from './legs/legs.ts';
import type { McpOptions } from './options.ts';
import type { Principal } from './ports.ts';
import type { ToolAnswer } from './result.ts';
import { mount, Route } from './route.ts';

/** A call that did not come in by the protocol, such as one from a page. */
export interface DirectCall<A> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly clientIp: string;
  readonly path: string;
  readonly principal: Principal<A>;
}

export interface Mcp<A = unknown> {
  /**
   * A listener that answers the MCP paths, by guards of its own, and leaves everything else to the one behind it. It
   * stands before an application like Koa and not in it: what that makes for each request is a sixth of a list's cost.
   */
  inFrontOf(behind: RequestListener): RequestListener;
  /** Calls a tool of the contract with every check, limit and audit row of a call by the protocol. */
  callTool(call: DirectCall<A>, name: string, args: Record<string, unknown>): Promise<ToolAnswer>;
  /** Loads the SDKs ahead of the first request that needs them; call it once the server listens. */
  warm(): Promise<void>;
  /** Ends open streams; call it after the HTTP server stopped accepting. */
  close(): Promise<void>;
}

const DEFAULT_PATHS: readonly string[] = ['/api/mcp', '/api/mcp/'];

/** Builds the runtime for one contract. Throws when a tool, resource or completion of the contract has no function. */
export function createMcp<A, P>(options: McpOptions<A, P>): Mcp<A> {
  const dispatcher = new Dispatcher(options);
  const legs = createLegs(dispatcher, { stateKey: options.stateKey, logger: options.ports.logger });
  const route = new Route(options, dispatcher, legs);
  return {
    inFrontOf: (behind) => mount(route, options.paths ?? DEFAULT_PATHS, behind),
    callTool({ request, response, requestId, clientIp, path, principal }, name, args) {
      const exchange = new Exchange(request, response, { requestId, clientIp, path, answerHeaders: {} });
      // What was not checked as protocol JSON may hold anything, so its values are looked at.
      return dispatcher.callTool({ exchange, principal, era: 'legacy', suspicious: true }, name, args);
    },
    warm: () => legs.warm(),
    close: () => legs.close(),
  };
}
