// The real application - store, key authentication, audit, metrics, guards - serving the benchmark's compiled catalogue.
import { addressesOf } from '../../../src/app/addresses.ts';
import { createApp } from '../../../src/app/app.ts';
import { Closing } from '../../../src/app/closing.ts';
import { loadConfig } from '../../../src/app/config.ts';
import { firstRun } from '../../../src/app/first-run.ts';
import { listen } from '../../../src/app/http-server.ts';
import { createMetrics } from '../../../src/app/metrics.ts';
import { openServices } from '../../../src/app/open-services.ts';
import { createProduct, type Product } from '../../../src/app/product.ts';
import { createLogger } from '../../../src/kernel/logger.ts';
import { answerCountRecords, answerReadRecords, catalogue, type ReadRecords } from '../catalogue.ts';
import './report-usage.mjs';

const config = loadConfig();
const logger = createLogger({ level: config.logLevel });
const server = await listen(config);
const services = await openServices(config, {
  applicationName: 'bench',
  logger,
  closing: new Closing(logger),
  port: server.port,
  works: false,
});
await firstRun(services, addressesOf(config, server.port).mcpUrl);
const metrics = createMetrics();
// because the folder of the compiled catalogue is known only when the benchmark runs
const { catalog } = (await import(process.env['BENCH_CATALOG'] ?? '')) as Pick<Product, 'contract'> & {
  catalog: Product['contract'];
};
const product: Product = {
  ...createProduct(services, metrics),
  contract: catalog,
  handlers: Object.fromEntries(
    catalogue(Number(process.env['TOOLS'])).map(({ name }) => [
      name,
      async (args: ReadRecords) => (name === 'read_records' ? answerReadRecords(args) : answerCountRecords()),
    ]),
  ),
  readers: {},
  completers: {},
};
const app = createApp({ services, product, metrics });
server.serve(app.listener);
await app.warm();
process.send?.({ ready: true });
