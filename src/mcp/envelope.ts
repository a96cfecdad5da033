import type { RpcError } from './protocol.ts';

export type RequestId = string | number;

/** Everything of an answer up to its result: `{"jsonrpc":"2.0","id":7,"result":`. */
export function resultHead(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)},"result":`;
}

export function errorEnvelope(id: RequestId | null, error: RpcError): string {
  const { code, message, data } = error;
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: data === undefined ? { code, message } : { code, message, data },
  });
}
