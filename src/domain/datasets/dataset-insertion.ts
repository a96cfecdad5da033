import type { Tx } from '../../db/database.ts';
import { AppError } from '../../kernel/errors.ts';
import type { IdMaker } from '../../kernel/ids.ts';
import type { JobsService } from '../jobs/index.ts';
import { isAddress } from './dataset-reference.ts';
import { DatasetRepository } from './dataset-repository.ts';
import type { NewDataset } from './dataset-repository.ts';
import type { Dataset, DatasetIntent } from './dataset.ts';
import { optional } from './optional.ts';

export interface NewSource extends Pick<
  NewDataset,
  'capabilityBinding' | 'capabilityId' | 'sourceKind' | 'sourceSpec'
> {
  readonly name: string;
  readonly accountId: string;
  /** Of a dataset that is not split. */
  readonly intent: DatasetIntent;
  /** What the evaluation half remembers of the source; present for a split. The first half holds it for both. */
  readonly evalSpec?: unknown;
}

/** Makes the dataset, or the two of a split, with the job that lands the rows. */
export async function insertSource(
  parts: { readonly newId: IdMaker; readonly jobs: Pick<JobsService, 'enqueue'> },
  tx: Tx,
  projectId: string,
  source: NewSource,
): Promise<{ readonly dataset: Dataset; readonly evalDataset?: Dataset }> {
  const { accountId, intent, evalSpec, sourceSpec, name: given, ...binding } = source;
  const name = requireName(given);
  const datasets = new DatasetRepository(tx);
  const id = parts.newId();
  const common = { ...binding, landedBy: id, createdBy: accountId };
  const isSplit = evalSpec !== undefined;
  const dataset = await datasets.insert(projectId, {
    ...common,
    id,
    name: isSplit ? `${name} train` : name,
    sourceSpec,
    intent: isSplit ? 'train' : intent,
    ...(isSplit && { splitSide: 'train' }),
  });
  const evalDataset = isSplit
    ? await datasets.insert(projectId, {
        ...common,
        id: parts.newId(),
        name: `${name} eval`,
        sourceSpec: evalSpec,
        intent: 'eval',
        splitSide: 'eval',
      })
    : undefined;
  await parts.jobs.enqueue(tx, {
    projectId,
    kind: 'dataset_run',
    subjectId: id,
    payload: { dataset_id: id, step: 'land' },
    accountId,
  });
  return { dataset, ...optional('evalDataset', evalDataset) };
}

/**
 * References are read without the space around them, so no name keeps any. One without a visible character is none, and
 * by one that is an address nobody could call the dataset.
 */
function requireName(text: string): string {
  const name = text.trim();
  if (!/[^\p{C}\p{Z}]/u.test(name)) {
    throw wrongName('The name of the dataset is blank; write at least one visible character.', 'is blank');
  }
  if (isAddress(name)) {
    throw wrongName('The name of the dataset is the address of a resource; write a plain name.', 'is an address');
  }
  return name;
}

function wrongName(message: string, fault: string): AppError {
  return new AppError('invalid_input', message, { fields: { name: fault } });
}
