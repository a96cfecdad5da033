import type { JobHandlers } from '../../../generated/contracts/jobs.ts';
import type { Datasets } from '../../domain/datasets/index.ts';
import type { JobRun } from '../../domain/jobs/index.ts';

export function datasetRunHandler({ work }: Pick<Datasets, 'work'>): JobHandlers<JobRun>['dataset_run'] {
  return (payload, run) => work({ datasetId: payload.dataset_id, step: payload.step }, run);
}
