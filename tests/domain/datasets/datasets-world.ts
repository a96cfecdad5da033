import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { jobPolicies } from '../../../generated/contracts/job-policies.ts';
import type { DatabaseAddress } from '../../../src/db/connect.ts';
import type { Db } from '../../../src/db/database.ts';
import { createDatasets } from '../../../src/domain/datasets/index.ts';
import type { Dataset, Datasets, ObjectStore } from '../../../src/domain/datasets/index.ts';
import { JobsService } from '../../../src/domain/jobs/index.ts';
import type { JobPolicies } from '../../../src/domain/jobs/index.ts';
import { ModelsService } from '../../../src/domain/models/index.ts';
import type { ModelsServiceParts } from '../../../src/domain/models/index.ts';
import { createObservability, readExport } from '../../../src/domain/observability/index.ts';
import type { Observability } from '../../../src/domain/observability/index.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { createLogger } from '../../../src/kernel/logger.ts';
import { PageCursors } from '../../../src/kernel/page-cursor.ts';
import { DuckDbDatasetEngine } from '../../../src/providers/dataset-engine/duckdb-dataset-engine.ts';
import { Delivery } from '../../../src/workers/delivery.ts';
import { datasetRunHandler } from '../../../src/workers/handlers/dataset_run.ts';
import { Worker } from '../../../src/workers/worker.ts';
import type { WorkerSettings } from '../../../src/workers/worker.ts';
import { freshDatabase, openHandle } from '../../support/boot.ts';
import { eventually } from '../../support/eventually.ts';
import { objectStoreOf } from '../../support/lane.ts';
import { exportOf } from './traces.ts';
import type { TraceFixture } from './traces.ts';

export interface DatasetsWorld {
  readonly db: Db;
  readonly address: DatabaseAddress;
  readonly folder: string;
  readonly objects: ObjectStore;
  readonly observability: Observability;
  readonly datasets: Datasets;
  readonly jobs: JobsService;
  /** A fresh project. */
  project(): Promise<string>;
  /** Sends traces through the real reader and ingest; answers their ids. */
  ingest(projectId: string, traces: readonly TraceFixture[]): Promise<readonly string[]>;
  /** Starts the worker of a world that was made without. */
  work(): void;
  /** Waits until no work goes on with the dataset. */
  settled(dataset: Pick<Dataset, 'projectId' | 'id'>): Promise<Dataset>;
  /** All rows of the version in use. */
  rows(projectId: string, reference: string, sql?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

const LOGGER = createLogger({ level: 'error' });

export const ACCOUNT = '01912d5a-0000-7000-8000-00000000000a';

/** The parts of the product around datasets, as one process has them. */
export async function assemble(place: {
  readonly db: Db;
  readonly address: DatabaseAddress;
  readonly folder: string;
  readonly clock?: Clock;
  readonly policies?: JobPolicies;
  readonly idsKept?: number;
  /** That of the run by default. */
  readonly objects?: ObjectStore;
  /** None by default. */
  readonly provider?: ModelsServiceParts['provider'];
}) {
  const { db, address, folder, clock = systemClock, policies = jobPolicies, idsKept = 10_000 } = place;
  const { provider = { missing: 'MODEL_PROVIDER_URL' } } = place;
  const { objects = objectStoreOf(address, folder) } = place;
  const engine = new DuckDbDatasetEngine({ objects, workFolder: path.join(folder, 'work') });
  const cursors = new PageCursors('datasets');
  const observability = createObservability({ db, clock, cursors });
  const delivery = new Delivery({ address, logger: LOGGER, maintain: false });
  await delivery.start();
  const jobs = new JobsService({ db, delivery, policies, cursors });
  const { capabilities, traces } = observability;
  const models = new ModelsService({ db, newId, provider, budgets: { workTokens: 0, dayTokens: 0 } });
  const datasets = createDatasets({ db, clock, cursors, jobs, capabilities, traces, objects, engine, models, idsKept });
  return { db, clock, objects, engine, observability, delivery, jobs, datasets, policies };
}

/** A worker for the jobs of datasets, not yet started. */
export function datasetsWorker(
  parts: Pick<Awaited<ReturnType<typeof assemble>>, 'delivery' | 'datasets' | 'policies'>,
  db: Db,
  settings: Partial<WorkerSettings> = {},
  onStart: () => void = () => undefined,
): Worker<{ dataset_run: ReturnType<typeof datasetRunHandler> }> {
  const run = datasetRunHandler(parts.datasets);
  return new Worker({
    db,
    delivery: parts.delivery,
    handlers: {
      dataset_run: (payload, job) => {
        onStart();
        return run(payload, job);
      },
    },
    policies: parts.policies,
    onFailed: { dataset_run: parts.datasets.onJobFailed },
    isRetryable: (code) => code === 'unavailable',
    logger: LOGGER,
    settings: { pollMs: 50, retryBaseMs: 20, ...settings },
  });
}

/** The datasets of one process with a worker beside them, on a database and a folder of their own. */
export async function datasetsWorld(
  options: {
    clock?: Clock;
    works?: boolean;
    policies?: JobPolicies;
    idsKept?: number;
    objects?: ObjectStore;
    provider?: ModelsServiceParts['provider'];
    /** Of the worker. */
    settings?: Partial<WorkerSettings>;
  } = {},
): Promise<DatasetsWorld> {
  const { works = true, settings } = options;
  const { db, address } = await freshDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'datasets-'));
  const parts = await assemble({ ...options, db, address, folder });
  const { clock, datasets, observability, delivery } = parts;
  const worker = datasetsWorker(parts, openHandle(address), settings);
  if (works) worker.start();
  return {
    ...parts,
    address,
    folder,
    project: async () => {
      const id = newId();
      await db.raw('insert into projects (id, name, slug) values (?, ?, ?)', [id, `Project ${id}`, `project-${id}`]);
      return id;
    },
    ingest: async (projectId, fixtures) => {
      const { request, traceIds } = exportOf(fixtures);
      const batch = readExport(request, BigInt(clock.now().getTime()) * 1_000_000n);
      await observability.ingest.ingest(projectId, batch.spans);
      return traceIds;
    },
    work: () => worker.start(),
    settled: ({ projectId, id }) =>
      eventually(
        async () => {
          const dataset = await datasets.service.require(projectId, id);
          if (['landing', 'running', 'diagnosing'].includes(dataset.state)) throw new Error(`still ${dataset.state}`);
          return dataset;
        },
        { withinMs: 30_000 },
      ),
    rows: async (projectId, reference, sql = 'SELECT * FROM t ORDER BY source_row') =>
      (await datasets.service.query(projectId, reference, { sql, limit: 100 })).answer.rows,
    close: async () => {
      await worker.stop(1_000);
      await delivery.stop();
      await datasets.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
