import { isIPv6 } from 'node:net';
import type { Config } from './config.ts';

/** Where this installation is found, once the port is known. */
export interface Addresses {
  /** Scheme, host and port of the server as clients reach it. */
  readonly origin: string;
  readonly mcpUrl: string;
  /** Start of the Console's addresses, without a last slash. */
  readonly frontendUrl: string;
}

export function addressesOf(config: Pick<Config, 'host' | 'mcpServerUrl' | 'frontendUrl'>, port: number): Addresses {
  const origin =
    config.mcpServerUrl === undefined ? localOrigin(config.host, port) : new URL(config.mcpServerUrl).origin;
  return {
    origin,
    mcpUrl: config.mcpServerUrl ?? `${origin}/api/mcp/`,
    frontendUrl: config.frontendUrl ?? origin,
  };
}

/** A server that listens everywhere is named by the one address that works on its own machine. */
function localOrigin(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
