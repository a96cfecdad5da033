import { createServer, connect, type Socket } from 'node:net';
import { once } from 'node:events';

export interface CuttingProxy {
  readonly origin: string;
  /** Connections cut so far. */
  cuts(): number;
  close(): Promise<void>;
}

/**
 * Passes bytes on to the server at `origin` and cuts the connection, both ways and without a word, whenever this many
 * more have gone up; `times` times, and lets everything through from then on.
 */
export async function startCuttingProxy(origin: string, every: number, times: number): Promise<CuttingProxy> {
  const { hostname, port } = new URL(origin);
  const sockets = new Set<Socket>();
  let sent = 0;
  let cuts = 0;
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    const end = (): void => {
      near.destroy();
      far.destroy();
      sockets.delete(near);
    };
    sockets.add(near);
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    far.pipe(near);
    near.on('data', (bytes) => {
      sent += bytes.length;
      if (cuts < times && sent > every * (cuts + 1)) {
        cuts += 1;
        end();
      } else if (!far.write(bytes)) {
        near.pause();
        far.once('drain', () => near.resume());
      }
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
