import type { Completers } from '../../generated/contracts/completers.ts';
import type { ResourceReaders } from '../../generated/contracts/readers.ts';
import type { Datasets } from '../domain/datasets/index.ts';
import { describeJob } from '../domain/jobs/index.ts';
import type { JobsService } from '../domain/jobs/index.ts';
import { presentDatasetDetail, presentDatasetRun } from '../presenters/datasets.ts';
import type { FindJob } from '../presenters/jobs.ts';
import type { Contexts } from './contexts.ts';

/** As many as inspect_dataset shows when it is not asked for another number. */
const CHAT_TURNS = 10;

export function datasetsReaders({
  datasets,
}: {
  readonly datasets: Datasets;
}): Pick<ResourceReaders<Contexts>, 'dataset'> {
  return {
    async dataset(variables, { project, account }) {
      return presentDatasetDetail(
        await datasets.service.inspect(project.id, variables.dataset, {
          signal: account.signal,
          chatTurns: CHAT_TURNS,
        }),
      );
    },
  };
}

export function datasetsCompleters({
  datasets,
}: {
  readonly datasets: Datasets;
}): Pick<Completers<Contexts>, 'dataset'> {
  return {
    dataset: (value, { project }) => datasets.service.complete(project.id, value),
  };
}

/** The halves of a split share one job, which bears the id of the training half. */
export function findDatasetRun(parts: {
  readonly datasets: Datasets;
  readonly jobs: Pick<JobsService, 'find'>;
}): FindJob {
  return async (projectId, id) => {
    const progress = await parts.datasets.service.findProgress(projectId, id);
    if (progress === undefined) return undefined;
    const { dataset } = progress;
    const own = await parts.jobs.find(projectId, 'dataset_run', dataset.id);
    const job = own ?? (await parts.jobs.find(projectId, 'dataset_run', dataset.landedBy));
    return presentDatasetRun(progress, job && describeJob(job));
  };
}
