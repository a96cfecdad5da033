import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError, type Config } from './config.ts';

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

export async function listen({ host, port }: Pick<Config, 'host' | 'port'>): Promise<HttpServer> {
  const active = new Set<ServerResponse>();
  let answer: RequestListener = answerStarting;
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      active.add(response);
      response.once('close', () => active.delete(response));
      answer(request, response);
    },
  );
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw explainListen(error, host, port);
  }
  return {
    port: portOf(server),
    serve: (listener) => {
      answer = listener;
    },
    stop: (deadlineMs) => stop(server, active, deadlineMs),
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

async function stop(server: Server, active: ReadonlySet<ServerResponse>, deadlineMs: number): Promise<number> {
  const closed = new Promise<void>((resolve) => {
    // The callback also comes, with an error, when the server was closed before.
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

function explainListen(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const where = `${host}:${port}`;
  switch (code) {
    case 'EADDRINUSE':
      return fault('PORT', `${where} is in use. Stop the other server or choose another port, for example PORT=8001.`);
    case 'EACCES':
      return fault('PORT', `${where} may not be opened by this user. Choose a port above 1023, for example PORT=8000.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fault('HOST', `${host} is no address of this machine. For example: HOST=127.0.0.1`);
    default:
      return error;
  }
}

function fault(name: string, words: string): ConfigError {
  return new ConfigError([{ name, message: `${name}: ${words}` }]);
}
