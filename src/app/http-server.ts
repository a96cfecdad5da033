import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer {
  readonly port: number;
  /** Requests that have begun and not been answered. */
  inFlight(): number;
  /** Stops accepting, lets requests in flight finish, cuts what is left at the deadline. Answers how many were cut. */
  stop(deadlineMs: number): Promise<number>;
}

/** A head that trickles in, or a request that never ends, must not hold a connection for ever. */
const HEADERS_MS = 15_000;
const REQUEST_MS = 120_000;
const KEEP_ALIVE_MS = 15_000;
const CLOSE_IDLE_EVERY_MS = 50;

export async function listen(
  listener: RequestListener,
  address: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const active = new Set<object>();
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      active.add(response);
      response.once('close', () => active.delete(response));
      listener(request, response);
    },
  );
  server.listen(address.port, address.host);
  await once(server, 'listening');
  return {
    port: portOf(server),
    inFlight: () => active.size,
    stop: (deadlineMs) => stop(server, active, deadlineMs),
  };
}

async function stop(server: Server, active: ReadonlySet<object>, deadlineMs: number): Promise<number> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A kept-alive connection that has just answered its last request is idle, and nothing else would end it.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  let cut = 0;
  const deadline = setTimeout(() => {
    cut = active.size;
    server.closeAllConnections();
  }, deadlineMs);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
  return cut;
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.');
  return address.port;
}
