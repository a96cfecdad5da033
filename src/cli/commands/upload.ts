import { createHash } from 'node:crypto';
import { basename, extname } from 'node:path';
import type { CreateDatasetRequestCall } from '../../../generated/contracts/endpoints/create_dataset.ts';
import type { DatasetDetail } from '../../../generated/contracts/models/dataset_detail.ts';
import type { DatasetMutation } from '../../../generated/contracts/models/dataset_mutation.ts';
import type { GetJobOutput } from '../../../generated/contracts/tools/jobs/get_job.ts';
import { retry } from '../../kernel/retry.ts';
import type { Connection } from '../connection.ts';
import { isWorthRepeating } from '../explain.ts';
import { sendFile, type SentFile } from '../send-file.ts';
import { UploadNotes } from '../upload-notes.ts';
import { Refused, UsageFault } from '../usage-fault.ts';
import { waitForJob } from '../wait-for-job.ts';
import type { Session } from './session.ts';
import { describeDataset } from './show.ts';

export interface UploadOptions {
  readonly name?: string;
  readonly intent?: 'train' | 'eval';
  /** Percent of the rows for evaluation. */
  readonly split?: string;
  readonly position?: 'head' | 'tail' | 'random';
  readonly groupBy?: readonly string[];
  readonly stratifyBy?: string;
  readonly keepDuplicates?: true;
  readonly capability?: string;
  readonly wait: boolean;
}

const FILES_MAX = 100;

/** Sends the files, makes one dataset of them, or two, and says what arrived. */
export async function uploadDataset(session: Session, files: readonly string[], options: UploadOptions): Promise<void> {
  if (files.length > FILES_MAX) throw new UsageFault(`One dataset takes at most ${FILES_MAX} files.`);
  const request = requestOf(files, options);
  const connection = await session.connect();
  const notes = new UploadNotes(session.environment);
  const sent: SentFile[] = [];
  for (const file of files) sent.push(await sendFile({ ...connection, notes, progress: session.progress }, file));
  const made = await create(
    connection,
    request,
    sent.map(({ uploadId }) => uploadId),
  );
  for (const { identity } of sent) await notes.forget(identity);
  if (!options.wait) {
    session.terminal.out(session.json ? JSON.stringify(made) : waitingText(made));
    return;
  }
  await report(session, connection, made);
}

function requestOf(
  files: readonly string[],
  options: UploadOptions,
): Omit<CreateDatasetRequestCall, 'uploads' | 'request_key'> {
  const { name, intent, split, position, groupBy, stratifyBy, keepDuplicates, capability } = options;
  const [first = ''] = files;
  const percent = split === undefined ? undefined : Number(split);
  if (percent !== undefined && !(Number.isInteger(percent) && percent >= 1 && percent <= 99))
    throw new UsageFault('--split takes a whole number of percent from 1 to 99.');
  if (percent !== undefined && intent !== undefined)
    throw new UsageFault('--split makes a training and an evaluation dataset, so --intent cannot stand beside it.');
  const halves = [position, groupBy, stratifyBy, keepDuplicates].some((option) => option !== undefined);
  if (percent === undefined && halves)
    throw new UsageFault('--position, --group-by, --stratify-by and --keep-duplicates go with --split.');
  return {
    name: name ?? (basename(first, extname(first)) || 'dataset'),
    ...(intent !== undefined && { intent }),
    ...(capability !== undefined && { capability }),
    ...(percent !== undefined && {
      split: {
        eval_percent: percent,
        deduplicate: keepDuplicates !== true,
        ...(position !== undefined && { position }),
        ...(groupBy !== undefined && { group_by: [...groupBy] }),
        ...(stratifyBy !== undefined && { stratify_by: stratifyBy }),
      },
    }),
  };
}

/** The key follows from the request, so that sending it once more, even by another run, makes nothing twice. */
async function create(
  { client, projectId }: Connection,
  request: Omit<CreateDatasetRequestCall, 'uploads' | 'request_key'>,
  uploads: string[],
): Promise<DatasetMutation> {
  const body = { ...request, uploads };
  const requestKey = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  return retry(
    () => client.create_dataset({ parameters: { project_id: projectId }, body: { ...body, request_key: requestKey } }),
    { attempts: 6, baseMs: 500, maxMs: 10_000, isRetryable: isWorthRepeating },
  );
}

async function report(
  { terminal, json, progress }: Session,
  { tools }: Connection,
  made: DatasetMutation,
): Promise<void> {
  const job = await waitForJob(tools, made.job.id, progress);
  const ids = [made.dataset.id, ...(made.eval_dataset === undefined ? [] : [made.eval_dataset.id])];
  const details = [];
  for (const dataset of ids) details.push(await tools.call('inspect_dataset', { dataset }));
  if (json) terminal.out(JSON.stringify(atTheEnd(made, job, details)));
  else terminal.out(details.map((detail) => describeDataset(detail, terminal.style)).join('\n\n'));
  const failed = details.find(({ state }) => state === 'error');
  if (failed !== undefined) throw new Refused(`The rows did not land: ${failed.error ?? job.job_error ?? job.summary}`);
}

/** What was answered at first, as it is after the wait. */
function atTheEnd(made: DatasetMutation, job: GetJobOutput, details: readonly DatasetDetail[]): unknown {
  const stateOf = (id: string) => details.find((detail) => detail.id === id)?.state;
  const { dataset, eval_dataset: evalDataset } = made;
  return {
    ...made,
    summary: job.summary,
    dataset: { ...dataset, state: stateOf(dataset.id) ?? dataset.state },
    ...(evalDataset && { eval_dataset: { ...evalDataset, state: stateOf(evalDataset.id) ?? evalDataset.state } }),
    job: { ...made.job, status: job.status },
    details,
  };
}

function waitingText({ summary, dataset }: DatasetMutation): string {
  return `${summary}\n${dataset.name}  ${dataset.id}\nSee how far it is: overmind dataset show ${dataset.id}`;
}
