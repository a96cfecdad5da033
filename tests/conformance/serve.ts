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
 * The real application on a fresh store with the suite's fixtures beside its contract (`--without-fixtures`: without).
 * The suite cannot send a credential, so the listener presents the first key for requests that carry none; everything
 * behind is as in production. Prints `{"url","key"}` when it listens and ends with its standard input.
 */
const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
const settings = { HOST: '127.0.0.1', PORT: '0', RATE_LIMIT_REQUESTS: '0', LOG_LEVEL: 'error', DATA_DIR: folder };
const config = loadConfig({ ...process.env, ...settings });
const logger = createLogger({ level: config.logLevel });
const closing = new Closing(logger);
try {
  const server = await listen(config);
  closing.add('port', () => server.stop(0));
  const { port } = server;
  // The suite plays a browser page of the server's own address.
  const local = { ...config, allowedOrigins: [`http://localhost:${port}`] };
  const services = await openServices(local, {
    applicationName: 'mcp conformance',
    logger,
    closing,
    port,
    works: false,
  });
  const metrics = createMetrics();
  const product = createProduct(services, metrics);
  const extensions = process.argv.includes('--without-fixtures') ? undefined : conformanceFixtures();
  const app = createApp({
    services,
    product: { ...product, ...(extensions !== undefined && { extensions }) },
    metrics,
  });
  closing.add('requests', () => app.close());
  const url = `http://localhost:${port}/api/mcp`;
  const first = await firstRun(services, url);
  if (first === undefined) throw new Error('the store is not fresh');
  server.serve((request, response) => {
    if (request.headers.authorization === undefined) request.headers['x-api-key'] ??= first.key;
    app.listener(request, response);
  });
  await app.warm();
  process.stdout.write(`${JSON.stringify({ url, key: first.key })}\n`);
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).resume();
  });
} finally {
  await closing.run();
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);
