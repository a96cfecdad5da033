import type { AccessLog } from '../http/access-log.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { Redactor } from '../kernel/redact.ts';
import type { CatalogContract } from './contract.ts';
import type { Extensions } from './extensions.ts';
import type { McpPorts } from './ports.ts';

export interface McpGuards {
  /** Host names that may be asked for: `example.com`, `.example.com` (and all below), `*`. Ports do not matter. */
  readonly allowedHosts: readonly string[];
  /** Origins of browsers that may call, scheme and port included, or `*`. */
  readonly allowedOrigins: readonly string[];
  /** Addresses or CIDR ranges of proxies whose forwarded headers count. Empty: the headers are ignored. */
  readonly trustedProxies?: readonly string[];
  readonly maxBodyBytes?: number;
  /** A body that has not arrived by then is refused with 408. */
  readonly bodyTimeoutMs?: number;
  readonly maxDepth?: number;
  /** Calls per credential, or per address without one. Absent: no limit. */
  readonly rateLimiter?: RateLimiter;
  /** Refused credentials per address; keeps guessing slow. Absent: no limit. */
  readonly failureLimiter?: RateLimiter;
}

export interface McpOptions<A, P> {
  readonly contract: CatalogContract;
  /** One function per tool name, `(input, context) => Promise<output>`: the generated `ToolAdapters`. */
  readonly handlers: object;
  /** One function per resource that has a reader: the generated `ResourceReaders`. */
  readonly readers: object;
  /** One function per completion name: the generated `Completers`. */
  readonly completers: object;
  readonly ports: McpPorts<A, P>;
  readonly guards: McpGuards;
  /** Paths that answer, all alike. Default `/api/mcp` and `/api/mcp/`. */
  readonly paths?: readonly string[];
  readonly publishOutputSchema?: 'compact' | 'full' | 'none';
  /** Answer plain hot requests without an SDK. Default true. */
  readonly fastLane?: boolean;
  /**
   * Throw when a handler raises a code its tool does not declare, instead of answering `internal_error`.
   * A composition turns it on to find contract faults; production leaves it off.
   */
  readonly strictErrors?: boolean;
  /** Longest JSON text of one result, in characters. Default 1 Mi. */
  readonly maxResultLength?: number;
  /** Takes secrets out of error messages and resource payloads; a project adds the shapes of its own keys. */
  readonly redactor?: Redactor;
  /** Gets one entry per request of the MCP paths. */
  readonly accessLog?: AccessLog;
  /** 32 bytes that seal `requestState` and page cursors; the same on every replica. */
  readonly stateKey: Uint8Array;
  /** Tools, resources and prompts with raw content, beside the contract. */
  readonly extensions?: Extensions<A>;
}
