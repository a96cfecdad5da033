import { slowerNow, type Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { HOUR_MS } from '../../kernel/duration.ts';
import { newId } from '../../kernel/ids.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import type { PageCursors } from '../../kernel/page-cursor.ts';
import type { CapabilityService } from '../capabilities/index.ts';
import type { JobFailureHooks, JobRun, JobsService } from '../jobs/index.ts';
import type { ModelsService } from '../models/index.ts';
import type { TraceService } from '../observability/index.ts';
import { CellRepository } from './cell-repository.ts';
import { AgentTurns } from './dataset-agent-turn.ts';
import { DatasetAgent } from './dataset-agent.ts';
import { DatasetCreation } from './dataset-creation.ts';
import { DatasetDecisions } from './dataset-decisions.ts';
import type { DatasetEngine } from './dataset-engine.ts';
import { DatasetExports } from './dataset-export.ts';
import { DatasetLanding } from './dataset-landing.ts';
import { DatasetPreparation } from './dataset-preparation.ts';
import { DatasetRepository } from './dataset-repository.ts';
import { DatasetService } from './dataset-service.ts';
import { DatasetSteps } from './dataset-steps.ts';
import { DatasetUse } from './dataset-use.ts';
import type { ObjectStore } from './object-store.ts';
import { ObjectSweep } from './object-sweep.ts';
import { ObservedTraces } from './observed-traces.ts';
import { UploadService } from './upload-service.ts';

export interface DatasetsParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly cursors: PageCursors;
  readonly jobs: JobsService;
  readonly capabilities: CapabilityService;
  readonly traces: Pick<TraceService, 'existing' | 'load' | 'loadCalls' | 'select' | 'selectCalls'>;
  readonly objects: ObjectStore;
  readonly engine: DatasetEngine;
  readonly models: ModelsService;
  readonly newId?: IdMaker;
  /** See DatasetCreation. */
  readonly idsKept?: number;
}

/** What a `dataset_run` job is asked to do. */
export type DatasetJob =
  | { readonly datasetId: string; readonly step: 'land' | 'run' }
  | { readonly datasetId: string; readonly step: 'turn'; readonly turnId: string };

export interface Datasets {
  /** Reading. */
  readonly service: DatasetService;
  /** Files on their way in. */
  readonly uploads: UploadService;
  /** Versions on their way out. */
  readonly exports: DatasetExports;
  readonly creation: DatasetCreation;
  readonly preparation: DatasetPreparation;
  readonly decisions: DatasetDecisions;
  /** The chat in which datasets are prepared. */
  readonly agent: DatasetAgent;
  /** For those who train on a version or evaluate with it. */
  readonly use: DatasetUse;
  /** One attempt at a `dataset_run` job. */
  work(job: DatasetJob, run: JobRun): Promise<void>;
  /** Puts the dataset into its error state when its job has failed for good. */
  readonly onJobFailed: JobFailureHooks[string];
  /** Removes what died attempts left in the object store and the work folder, as of now or then; for a schedule. The number removed. */
  sweep(asOf?: Date): Promise<number>;
  /** Ends the engine's processes. */
  close(): Promise<void>;
}

/** Longer than any job with all its attempts, so nothing young is in danger. */
const ORPHAN_AGE_MS = 24 * HOUR_MS;

export function createDatasets(parts: DatasetsParts): Datasets {
  const { db, clock, objects, engine, models, jobs, capabilities, newId: ids = newId } = parts;
  const traces = new ObservedTraces(parts);
  const service = new DatasetService({ ...parts, hasModel: models.isConfigured });
  const agent = new DatasetAgent({ db, newId: ids, jobs, datasets: service, models });
  const uploads = new UploadService({ db, clock, newId: ids, objects });
  const landing = new DatasetLanding({ db, newId: ids, objects, engine, traces, uploads });
  const steps = new DatasetSteps({ db, newId: ids, objects, engine, traces, uploads, agent });
  const turns = new AgentTurns({
    db,
    newId: ids,
    models,
    engine,
    capabilities,
    service,
    datasets: new DatasetRepository(db),
    cells: new CellRepository(db),
  });
  const orphans = new ObjectSweep({ db, objects, engine });
  return {
    service,
    uploads,
    exports: new DatasetExports({ datasets: service, engine }),
    creation: new DatasetCreation({ ...parts, newId: ids, traces, uploads }),
    preparation: new DatasetPreparation({ ...parts, newId: ids, datasets: service }),
    decisions: new DatasetDecisions({ ...parts, datasets: service, agent }),
    agent,
    use: new DatasetUse(parts),
    work: (job, run) => {
      switch (job.step) {
        case 'land':
          return landing.land(run, job.datasetId);
        case 'run':
          return steps.run(run, job.datasetId);
        case 'turn':
          return turns.run(run, job.turnId);
      }
    },
    onJobFailed: async (tx, job, error) => {
      const datasets = new DatasetRepository(tx);
      for (const { id } of await datasets.findLandedBy(job.projectId, job.subjectId)) {
        await datasets.setState(job.projectId, id, ['landing'], { state: 'error', error: error.message });
      }
      await new CellRepository(tx).failRunning(job.projectId, job.subjectId, error.message);
      await datasets.setState(job.projectId, job.subjectId, ['running'], { state: 'error', error: error.message });
      await agent.abandon(tx, job.projectId, job.subjectId, error.message);
      await datasets.setState(job.projectId, job.subjectId, ['diagnosing'], { state: 'idle' });
    },
    sweep: async (asOf) => {
      const now = asOf ?? (await slowerNow(db, clock));
      return (await uploads.sweep(now)) + (await orphans.sweepAll(new Date(now.getTime() - ORPHAN_AGE_MS)));
    },
    close: () => engine.close(),
  };
}
