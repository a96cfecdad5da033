import { request, type Agent, type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON-RPC message, from a JSON body or the last event of a stream. */
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any shape are what the tests look into
  readonly json: any;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
  readonly path?: string;
}

/** One request as it stands; nothing is added but the length. */
export function send(port: number, sent: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'POST', headers = {}, body, agent, path = '/api/mcp' } = sent;
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { host: 'localhost', ...headers },
        ...(agent === undefined ? {} : { agent }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) });
        });
        response.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function parse(text: string): unknown {
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data:') && line.length > 6)
    .map((line) => line.slice(5));
  const last = events.at(-1) ?? text;
  try {
    return JSON.parse(last);
  } catch {
    return undefined;
  }
}

export type Era = 'legacy' | 'modern';

export interface RpcOptions {
  readonly era?: Era;
  readonly key?: string | null;
  readonly id?: string | number;
  readonly headers?: Record<string, string>;
  readonly meta?: Record<string, unknown>;
  readonly capabilities?: Record<string, unknown>;
  readonly agent?: Agent;
  readonly path?: string;
}

/** A well-formed request of either era. */
export function message(
  method: string,
  params: Record<string, unknown> = {},
  options: RpcOptions = {},
): { headers: Record<string, string>; body: string } {
  const { era = 'legacy', key = 'key-project-a', id = 1, headers = {}, meta, capabilities = {} } = options;
  const base: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
  if (era === 'legacy') {
    const body = { jsonrpc: '2.0', id, method, params: { ...params, ...(meta === undefined ? {} : { _meta: meta }) } };
    return { headers: { ...base, 'mcp-protocol-version': '2025-11-25', ...headers }, body: JSON.stringify(body) };
  }
  const named = params['name'] ?? params['uri'] ?? params['taskId'];
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...meta,
  };
  return {
    headers: {
      ...base,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof named === 'string' && !method.startsWith('completion') ? { 'mcp-name': encodeName(named) } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope } }),
  };
}

function encodeName(name: string): string {
  return /^[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

export function rpc(
  port: number,
  method: string,
  params: Record<string, unknown> = {},
  options: RpcOptions = {},
): Promise<Answer> {
  const { headers, body } = message(method, params, options);
  return send(port, {
    headers,
    body,
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    ...(options.path === undefined ? {} : { path: options.path }),
  });
}

export function callTool(
  port: number,
  name: string,
  args: Record<string, unknown> = {},
  options: RpcOptions = {},
): Promise<Answer> {
  return rpc(port, 'tools/call', { name, arguments: args }, options);
}
