import { SECOND_MS } from '../../kernel/duration.ts';
import { createLogger } from '../../kernel/logger.ts';
import { Closing } from '../closing.ts';
import { loadConfig } from '../config.ts';
import { createMetrics } from '../metrics.ts';
import { openServices } from '../open-services.ts';
import { createProduct } from '../product.ts';
import { startWorker } from '../run-worker.ts';
import { onStopSignal } from '../stop-signal.ts';
import type { Terminal } from '../../kernel/terminal.ts';

/** Runs background jobs until a stop signal; jobs that do not end in time are handed back. */
export async function work({ terminal }: { readonly terminal: Terminal }): Promise<void> {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel });
  const closing = new Closing(logger);
  const signal = onStopSignal((name) => {
    logger.warn('stopped by force', { signal: name });
    process.exit(1);
  });
  try {
    const { port } = config;
    const services = await openServices(config, {
      applicationName: 'overmind-mcp work',
      logger,
      closing,
      port,
      works: true,
    });
    const worker = await startWorker(services, createProduct(services, createMetrics()));
    closing.add('worker', () => worker.stop(config.shutdownSeconds * SECOND_MS));
    terminal.remark('Overmind worker is ready.');
    logger.info('stopping', { signal: await signal.stopped });
  } finally {
    await closing.run();
    signal.dispose();
  }
}
