import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/app/app.ts';
import { Closing } from '../../src/app/closing.ts';
import { loadConfig } from '../../src/app/config.ts';
import { firstRun } from '../../src/app/first-run.ts';
import { listen } from '../../src/app/http-server.ts';
import { createMetrics } from '../../src/app/metrics.ts';
import { openServices } from '../../src/app/open-services.ts';
import { createProduct } from '../../src/app/product.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { conformanceFixtures } from './fixtures/index.ts';

/**
 * The real application on a fresh store with the suite's fixtures beside its contract. The suite cannot send a
 * credential, so the listener presents the first key for it; everything behind is as in production.
 * Prints `{"url","key"}` when it listens and ends with its standard input.
 */
const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
const config = loadConfig({
  HOST: '127.0.0.1',
  PORT: '0',
  RATE_LIMIT_REQUESTS: '0',
  LOG_LEVEL: 'error',
  DATA_DIR: folder,
  ...process.env,
});
const logger = createLogger({ level: config.logLevel });
const closing = new Closing(logger);
const server = await listen(config);
closing.add('port', () => server.stop(0));
const services = await openServices(config, {
  applicationName: 'mcp conformance',
  logger,
  closing,
  port: server.port,
  works: false,
});
const metrics = createMetrics();
const app = createApp({
  services,
  product: { ...createProduct(services, metrics), extensions: conformanceFixtures() },
  metrics,
});
closing.add('requests', () => app.close());
const url = `http://localhost:${server.port}/api/mcp`;
const first = await firstRun(services, url);
if (first === undefined) throw new Error('the store is not fresh');
server.serve((request, response) => {
  request.headers['x-api-key'] ??= first.key;
  app.listener(request, response);
});
await app.warm();
process.stdout.write(`${JSON.stringify({ url, key: first.key })}\n`);

process.stdin.resume();
process.stdin.once('end', () => {
  void closing.run().finally(async () => {
    await rm(folder, { recursive: true, force: true });
    process.exit(0);
  });
});
