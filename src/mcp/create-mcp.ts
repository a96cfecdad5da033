import type Koa from 'koa';
import type { McpOptions } from './options.ts';

export interface Mcp {
  /** Answers the MCP paths, passes everything else on. Mount it first: it does its own guards. */
  readonly middleware: Koa.Middleware;
  /** Stops open streams; call it after the HTTP server stopped accepting. */
  close(): Promise<void>;
}

/** Builds the runtime for one contract. Throws when a tool, resource or completion of the contract has no function. */
export function createMcp<A, P>(options: McpOptions<A, P>): Mcp {
  throw new Error(`not built: ${options.contract.server.name}`);
}
