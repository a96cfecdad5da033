// The real application - store, key authentication, audit, metrics, guards - serving the benchmark's compiled catalogue.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as addressesModule from '../../../src/app/addresses.ts';
import type * as appModuleModule from '../../../src/app/app.ts';
import type * as closingModule from '../../../src/app/closing.ts';
import type * as configModule from '../../../src/app/config.ts';
import type * as firstRunModule from '../../../src/app/first-run.ts';
import type * as httpServerModule from '../../../src/app/http-server.ts';
import type * as metricsModule from '../../../src/app/metrics.ts';
import type * as openServicesModule from '../../../src/app/open-services.ts';
import type * as productModule from '../../../src/app/product.ts';
import type * as loggerModule from '../../../src/kernel/logger.ts';
import type { Product } from '../../../src/app/product.ts';
import { answerCountRecords, answerReadRecords, catalogue, type ReadRecords } from '../catalogue.ts';

/** A module of the compiled product. */
const load = (path: string): Promise<unknown> => import(pathToFileURL(join('dist/src', path)).href);
const [
  { addressesOf },
  { createApp },
  { Closing },
  { loadConfig },
  { firstRun },
  { listen },
  { createMetrics },
  { openServices },
  { createProduct },
  { createLogger },
  // because each path is the compiled form of the module whose type stands beside it
] = (await Promise.all([
  load('app/addresses.js'),
  load('app/app.js'),
  load('app/closing.js'),
  load('app/config.js'),
  load('app/first-run.js'),
  load('app/http-server.js'),
  load('app/metrics.js'),
  load('app/open-services.js'),
  load('app/product.js'),
  load('kernel/logger.js'),
])) as [
  typeof addressesModule,
  typeof appModuleModule,
  typeof closingModule,
  typeof configModule,
  typeof firstRunModule,
  typeof httpServerModule,
  typeof metricsModule,
  typeof openServicesModule,
  typeof productModule,
  typeof loggerModule,
];

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
