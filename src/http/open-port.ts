import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that listens from the start, so that its port is known and taken, and answers once it is given an app. */
export interface HttpServer {
  readonly port: number;
  serve(listener: RequestListener): void;
  /** Stops accepting, lets requests in flight finish, cuts what is left at the deadline. Answers how many were cut. */
  stop(deadlineMs: number): Promise<number>;
}

/** A head that trickles in, or a request that never ends, must not hold a connection for ever. */
const HEADERS_MS = 15_000;
const REQUEST_MS = 120_000;
const KEEP_ALIVE_MS = 15_000;
const CLOSE_IDLE_EVERY_MS = 50;

/** Opens a port; 0 lets the system choose one. Throws what Node throws when it cannot be had. */
export async function openPort({ host, port }: { readonly host: string; readonly port: number }): Promise<HttpServer> {
  // A count, not a set: a set that lives long and changes with every request drags dead requests into old memory.
  let active = 0;
  const onClose = (): void => {
    active -= 1;
  };
  let answer: RequestListener = answerStarting;
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      active += 1;
      // It comes once, and `once` would wrap it anew for each request.
      response.on('close', onClose);
      answer(request, response);
    },
  );
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: portOf(server),
    serve: (listener) => {
      answer = listener;
    },
    stop: (deadlineMs) => stop(server, () => active, deadlineMs),
  };
}

/** While the store is being opened and migrated; probes and clients try again. */
const answerStarting: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '1', connection: 'close' });
  response.end(
    JSON.stringify({
      type: 'about:blank',
      status: 503,
      code: 'unavailable',
      detail: 'The server is starting. Try again in a moment.',
      retryable: true,
      fields: {},
    }),
  );
};

async function stop(server: Server, countActive: () => number, deadlineMs: number): Promise<number> {
  const closed = new Promise<void>((resolve) => {
    // The callback also comes, with an error, when the server was closed before.
    server.close(() => resolve());
  });
  // A kept-alive connection that has just answered its last request is idle, and nothing else would end it.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  let cut = 0;
  const deadline = setTimeout(() => {
    cut = countActive();
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
