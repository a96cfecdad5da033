import type Koa from 'koa';
import { Dispatcher } from './dispatcher.ts';
import { createLegs } from './legs/legs.ts';
import type { McpOptions } from './options.ts';
import { mount, Route } from './route.ts';

export interface Mcp {
  /** Answers the MCP paths, passes everything else on. Mount it first: it does its own guards. */
  readonly middleware: Koa.Middleware;
  /** Loads the SDKs ahead of the first request that needs them; call it once the server listens. */
  warm(): Promise<void>;
  /** Ends open streams; call it after the HTTP server stopped accepting. */
  close(): Promise<void>;
}

export const DEFAULT_PATHS: readonly string[] = ['/api/mcp', '/api/mcp/'];

/** Builds the runtime for one contract. Throws when a tool, resource or completion of the contract has no function. */
export function createMcp<A, P>(options: McpOptions<A, P>): Mcp {
  const dispatcher = new Dispatcher(options);
  const legs = createLegs(dispatcher, { stateKey: options.stateKey, logger: options.ports.logger });
  const route = new Route(options, dispatcher, legs);
  return {
    middleware: mount(route, options.paths ?? DEFAULT_PATHS),
    warm: () => legs.warm(),
    close: () => legs.close(),
  };
}
