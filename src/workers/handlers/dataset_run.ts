import type { DatasetRunJobPayload } from '../../../generated/contracts/jobs/dataset_run.ts';
import type { JobHandlers } from '../../../generated/contracts/jobs.ts';
import type { DatasetJob, Datasets } from '../../domain/datasets/index.ts';
import type { JobRun } from '../../domain/jobs/index.ts';

export function datasetRunHandler({ work }: Pick<Datasets, 'work'>): JobHandlers<JobRun>['dataset_run'] {
  return (payload, run) => work(jobOf(payload), run);
}

function jobOf({ dataset_id: datasetId, step, turn_id: turnId }: DatasetRunJobPayload): DatasetJob {
  if (step !== 'turn') return { datasetId, step };
  if (turnId === undefined) throw new Error('A turn of a chat was asked for without its id.');
  return { datasetId, step, turnId };
}
