/** The words and numbers of the protocol that the runtime needs without loading an SDK. */

/** `legacy`: handshake revisions up to 2025-11-25. `modern`: per-request envelope, 2026-07-28. */
export type Era = 'legacy' | 'modern';

export const MODERN_VERSION = '2026-07-28';
export const LATEST_LEGACY_VERSION = '2025-11-25';
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];

export const META_PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
export const META_CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const META_CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
export const META_SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Handshake revisions only. */
  resourceNotFound: -32002,
  missingCapability: -32021,
} as const;

/** An error that leaves as a JSON-RPC error. Both SDKs and the fast lane render `code`, `message` and `data` alike. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: number, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/** The error code of the contract behind a JSON-RPC error, for the audit row and the metrics. */
export function outcomeOf(error: RpcError): string {
  const code = error.data?.['code'];
  return typeof code === 'string' ? code : 'internal_error';
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
