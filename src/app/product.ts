import type Koa from 'koa';
import { catalog } from '../../generated/catalog/index.ts';
import type { JobHandlers } from '../../generated/contracts/jobs.ts';
import { endpoints } from '../../generated/rest/endpoints.ts';
import { createAdapters } from '../adapters/index.ts';
import { addressOf } from '../console/addresses.ts';
import type { AccountContext } from '../context/account-context.ts';
import type { ProjectContext } from '../context/project-context.ts';
import type { JobFailureHooks, JobRun } from '../domain/jobs/index.ts';
import { otlpJson } from '../domain/observability/index.ts';
import type { CatalogContract } from '../mcp/contract.ts';
import type { McpOptions } from '../mcp/options.ts';
import type { JobPort } from '../mcp/ports.ts';
import type { JobLookup } from '../presenters/jobs.ts';
import { createProtobufCodec } from '../providers/otlp/protobuf-codec.ts';
import { findDatasetRun } from '../readers/datasets.ts';
import { createCompleters, createReaders } from '../readers/index.ts';
import { createEndpoints } from '../rest/index.ts';
import { LiveStreams, type LiveStreamsOptions } from '../rest/live-traces.ts';
import { IngestLoad } from '../rest/otlp-load.ts';
import { otlpSurface } from '../rest/otlp-surface.ts';
import type { RouterParts } from '../rest/router.ts';
import { datasetRunHandler } from '../workers/handlers/dataset_run.ts';
import { createJobLookup } from './job-lookup.ts';
import { createJobPort } from './job-port.ts';
import type { ProcessMetrics } from './metrics.ts';
import { databaseCheck } from './readiness.ts';
import type { Services } from './services.ts';

type Options = McpOptions<AccountContext, ProjectContext>;

/** What one contract serves: the contract itself and the functions behind it, on every surface. */
export interface Product extends Pick<Options, 'handlers' | 'readers' | 'completers' | 'extensions'> {
  readonly contract: CatalogContract;
  readonly rest: Pick<RouterParts, 'contracts' | 'handlers'> & {
    /** Run before the router, inside the guards. */
    readonly before: readonly Koa.Middleware[];
    /** Ends streams that have no end of their own. */
    readonly close: () => void;
  };
  readonly jobs: {
    readonly lookup: JobLookup;
    readonly port: JobPort<AccountContext>;
    readonly handlers: JobHandlers<JobRun>;
    readonly onFailed: JobFailureHooks;
  };
}

/** Binds the generated contract to the services. Its types refuse a function that is missing or does not fit. */
export function createProduct(
  services: Services,
  metrics: ProcessMetrics,
  options: { readonly liveStreams?: LiveStreamsOptions } = {},
): Product {
  const { datasets, observability, projects, cursors, addresses } = services;
  const jobs = createJobLookup(catalog.jobs, { dataset_run: findDatasetRun({ datasets, jobs: services.jobs }) });
  const parts = { ...observability, projects, cursors, jobs, datasets, frontendUrl: addresses.frontendUrl };
  return {
    contract: catalog,
    handlers: createAdapters(parts),
    readers: createReaders(parts),
    completers: createCompleters(parts),
    rest: createRest(services, metrics, new LiveStreams(options.liveStreams)),
    jobs: {
      lookup: jobs,
      port: createJobPort(jobs),
      handlers: { dataset_run: datasetRunHandler(datasets) },
      onFailed: { dataset_run: datasets.onJobFailed },
    },
  };
}

function createRest(services: Services, metrics: ProcessMetrics, streams: LiveStreams): Product['rest'] {
  const { config, db, clock, resolveProject, observability, projects, apiKeys, cursors, addresses } = services;
  const { accounts, sessions, connections, audit, invitations, logger, requestKeys } = services;
  const codecs = [otlpJson, createProtobufCodec()];
  const load = new IngestLoad();
  const handlers = createEndpoints({
    contract: { version: catalog.server.version, hash: catalog.contractHash },
    checkDatabase: databaseCheck(db),
    metrics: () => metrics.text(),
    metricsToken: config.metricsToken,
    ingest: observability.ingest,
    feed: observability.feed,
    streams,
    resolveProject,
    codecs,
    load,
    clock,
    logger,
    requestKeys,
    projects,
    apiKeys,
    accounts,
    sessions,
    connections,
    audit,
    invitations,
    datasets: services.datasets,
    cursors,
    frontendUrl: addresses.frontendUrl,
    passwordLinkUrl: (token) => `${addresses.frontendUrl.replace(/\/$/, '')}${addressOf('password_link', { token })}`,
  });
  return {
    contracts: endpoints,
    handlers: { ...handlers },
    before: endpoints
      .filter((endpoint) => endpoint.name === 'ingest_traces')
      .map(({ path }) => otlpSurface({ path, codecs, load, describe })),
    close: () => streams.close(),
  };
}

function describe(code: string): CatalogContract['errors'][string] | undefined {
  return catalog.errors[code];
}
