declare module 's3rver' {
  import type { Server } from 'node:http';
  import type { Middleware } from 'koa';

  interface S3rverOptions {
    readonly address: string;
    readonly port: number;
    readonly silent: boolean;
    readonly directory: string;
    readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
  }

  export default class S3rver {
    constructor(options: S3rverOptions);
    readonly httpServer: Server;
    /** In the order in which they meet a request. */
    readonly middleware: Middleware[];
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
