import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A connection to a server that breaks at chosen places, in the middle of whatever is being sent. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #passed = 0;
  cuts = 0;
  /** Count of bytes sent by clients after which their connections stay open and carry nothing more. */
  holdsAfter = Number.POSITIVE_INFINITY;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `places` are counts of bytes sent by clients after which every connection is destroyed. */
  static async start(target: number, places: readonly number[]): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#join(client, connect(target, '127.0.0.1'), places));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get origin(): string {
    // because a server that listens on TCP has an address with a port
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, server: Socket, places: readonly number[]): void {
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      // What is cut ends with errors on both sides; the client notices, and that is the point.
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
    }
    client.on('data', (bytes) => {
      this.#passed += bytes.length;
      if (this.#passed >= this.holdsAfter) client.unpipe(server).pause();
      const place = places[this.cuts];
      if (place === undefined || this.#passed < place) return;
      this.cuts += 1;
      for (const socket of this.#sockets) socket.destroy();
    });
    client.once('close', () => server.destroy());
    client.pipe(server).pipe(client);
  }
}
