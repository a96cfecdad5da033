import { createServer, type RequestListener } from 'node:http';

/** Serves on the port the parent chose and says when it is ready. */
export function listen(handler: RequestListener): void {
  createServer(handler).listen(Number(process.env['PORT']), '127.0.0.1', () => process.send?.({ ready: true }));
}
