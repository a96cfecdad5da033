import type { GetJobOutput } from '../../generated/contracts/tools/jobs/get_job.ts';
import { SECOND_MS, sleep } from '../kernel/duration.ts';
import type { Progress } from './progress.ts';
import type { ToolCaller } from './tool-caller.ts';

const FIRST_MS = 250;

/** Asks until the work will not change by itself: ended, or waiting for a person. */
export async function waitForJob(tools: ToolCaller, datasetId: string, progress: Progress): Promise<GetJobOutput> {
  for (let turn = 0; ; turn += 1) {
    const job = await tools.call('get_job', { kind: 'dataset_run', id: datasetId });
    if (job.final) {
      progress.end();
      return job;
    }
    const { stage = job.status, rows } = job.progress ?? {};
    progress.show(`${job.label}: ${String(stage)}${typeof rows === 'number' ? `, ${rows} rows` : ''}`);
    await sleep(Math.min(job.poll_after_seconds * SECOND_MS, FIRST_MS * 2 ** Math.min(turn, 6)));
  }
}
