import type { Tx } from '../../db/database.ts';
import { AppError } from '../../kernel/errors.ts';
import type { JobsService } from '../jobs/index.ts';
import { DatasetRepository } from './dataset-repository.ts';
import type { Dataset } from './dataset.ts';
import { optional } from './optional.ts';

/** Has the queued versions of a dataset computed; in the transaction that queued them. */
export async function startRun(
  jobs: Pick<JobsService, 'enqueue'>,
  tx: Tx,
  work: { readonly dataset: Dataset; readonly accountId: string; readonly cellId?: string },
): Promise<void> {
  const { projectId, id } = work.dataset;
  await new DatasetRepository(tx).setState(projectId, id, ['idle', 'error'], { state: 'running' });
  await jobs.enqueue(tx, {
    projectId,
    kind: 'dataset_run',
    subjectId: id,
    payload: { dataset_id: id, step: 'run', ...optional('cell_id', work.cellId) },
    accountId: work.accountId,
  });
}

export function busy(): AppError {
  return new AppError(
    'dataset_busy',
    'The dataset is being worked on; poll get_job with kind dataset_run and try again.',
  );
}
