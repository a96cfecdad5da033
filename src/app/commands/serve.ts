import type { HttpServer } from '../../http/open-port.ts';
import { SECOND_MS } from '../../kernel/duration.ts';
import { createLogger, type Logger } from '../../kernel/logger.ts';
import { announce } from '../announce.ts';
import { createApp, type App } from '../app.ts';
import { Closing } from '../closing.ts';
import { loadConfig, type Config } from '../config.ts';
import { firstRun, updateFirstRunUrl } from '../first-run.ts';
import { listen } from '../http-server.ts';
import { createMetrics } from '../metrics.ts';
import { openServices } from '../open-services.ts';
import { createProduct } from '../product.ts';
import { startWorker } from '../run-worker.ts';
import { onStopSignal } from '../stop-signal.ts';
import type { Terminal } from '../../kernel/terminal.ts';

export interface ServeOptions {
  readonly terminal: Terminal;
  /** Runs background jobs in this process too. */
  readonly worker: boolean;
  readonly json: boolean;
}

/** Serves until a stop signal, then lets everything in flight end. The port comes first: it is the likeliest to be wrong. */
export async function serve(options: ServeOptions): Promise<void> {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel });
  const closing = new Closing(logger);
  const signal = onStopSignal((name) => {
    logger.warn('stopped by force', { signal: name });
    process.exit(1);
  });
  try {
    const server = await listen(config);
    closing.add('port', () => server.stop(0));
    await start(options, { config, logger, closing, server });
    logger.info('stopping', { signal: await signal.stopped });
  } finally {
    await closing.run();
    signal.dispose();
  }
}

interface Running {
  readonly config: Config;
  readonly logger: Logger;
  readonly closing: Closing;
  readonly server: HttpServer;
}

/** Opens everything in an order that closes well: requests end first, then jobs, then what both left to be written. */
async function start({ terminal, worker, json }: ServeOptions, running: Running): Promise<void> {
  const { config, logger, closing, server } = running;
  const { port } = server;
  const services = await openServices(config, {
    applicationName: 'overmind-mcp serve',
    logger,
    closing,
    port,
    works: worker,
  });
  const metrics = createMetrics();
  metrics.gauge('overmind_audit_waiting', 'Audit rows not stored yet.', () => services.agentCalls.waiting);
  const product = createProduct(services, metrics);
  if (worker) {
    const jobs = await startWorker(services, product);
    closing.add('worker', () => jobs.stop(config.shutdownSeconds * SECOND_MS));
  }
  const app = createApp({ services, product, metrics });
  closing.add('requests', () => finishRequests(server, app, running));
  const { addresses } = services;
  const first = await firstRun(services, addresses.mcpUrl);
  if (first === undefined) await updateFirstRunUrl(services);
  server.serve(app.listener);
  announce({ terminal, config, addresses, first, json });
  await app.warm();
}

async function finishRequests(server: HttpServer, app: App, { config, logger }: Running): Promise<void> {
  const finished = server.stop(config.shutdownSeconds * SECOND_MS);
  // Streams have no end of their own, and the server waits for them.
  await app.close();
  const cut = await finished;
  if (cut > 0) logger.warn('requests cut at the end of the grace', { cut });
}
