import { createServer, request, type Server } from 'node:http';

/** Hands each request to the next server in turn, as a load balancer without memory does. */
export class RoundRobin {
  readonly #server: Server;
  #ports: readonly number[] = [];
  #turn = 0;

  constructor() {
    this.#server = createServer((incoming, outgoing) => {
      const port = this.#ports[(this.#turn += 1) % this.#ports.length];
      const { method, url, headers } = incoming;
      const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => {
        if (!outgoing.headersSent) outgoing.writeHead(502);
        outgoing.end();
      });
      incoming.pipe(onward);
    });
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  sendTo(...ports: readonly number[]): void {
    this.#ports = ports;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}
