import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonValue } from '../model/types.ts';
import type { Headers } from './envelope.ts';
import type { Answer, Mock } from './mock.ts';

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_LATENCY_MS = 60_000;
/** A client that comes back meanwhile must not meet a connection that is being closed. */
const IDLE_MS = 75_000;
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])$/u;

export interface Serving {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export interface ServeOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Pause before every answer; the header X-Mock-Latency overrides it. */
  readonly latencyMs: number;
}

/** Serves the mock on every path until it is closed. */
export async function serve(mock: Mock, { host, port, latencyMs }: ServeOptions): Promise<Serving> {
  const server = createServer({ keepAliveTimeout: IDLE_MS }, (request, response) => {
    handle(request, response, { mock, latencyMs }).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      send(response, { status: 500, body: { jsonrpc: '2.0', id: null, error: { code: -32603, message } } });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // because a server that listens on a port has an address with one
  const address = server.address() as AddressInfo;
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${shown}:${address.port}/mcp`, close: () => closed(server) };
}

interface Handling {
  readonly mock: Mock;
  readonly latencyMs: number;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { mock, latencyMs }: Handling,
): Promise<void> {
  const headers = headersOf(request);
  if (!isLocal(headers['origin'])) {
    send(response, { status: 403 });
    return;
  }
  if (request.method !== 'POST') {
    response.setHeader('Allow', 'POST');
    send(response, { status: 405 });
    return;
  }
  const body = await bodyOf(request);
  if (body === undefined) {
    send(response, { status: 413 });
    return;
  }
  const asked = Number(headers['x-mock-latency'] ?? latencyMs);
  if (asked > 0) await sleep(Math.min(asked, MOST_LATENCY_MS));
  const message = parsed(body);
  send(response, message === undefined ? UNREADABLE : mock.answer(message, headers));
}

const UNREADABLE: Answer = {
  status: 400,
  body: { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'The body is not JSON.' } },
};

function send(response: ServerResponse, { status, body }: Answer): void {
  if (response.writableEnded) return;
  response.statusCode = status;
  if (body === undefined) {
    response.end();
    return;
  }
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(body));
}

function headersOf({ headers }: IncomingMessage): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

/** Web pages of other places must not drive a server on this machine. */
function isLocal(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  try {
    return LOCAL.test(new URL(origin).hostname);
  } catch {
    return false;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    // because the request has no encoding set, so its chunks are buffers
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > MOST_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(body: string): JsonValue | undefined {
  try {
    // because JSON text gives JSON values
    return JSON.parse(body) as JsonValue;
  } catch {
    return undefined;
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
