import type { JobsService, RequestKeys } from '../domain/jobs/index.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Delivery, ScheduledTask } from './delivery.ts';

export interface ScheduleParts {
  readonly delivery: Delivery;
  readonly jobs: JobsService;
  readonly requestKeys: RequestKeys;
  readonly logger: Logger;
  /** Sweeps of other domains and providers. */
  readonly tasks: readonly ScheduledTask[];
}

/** Registers what runs by the clock: the sweeps of this floor and those the others bring. */
export async function scheduleTasks(parts: ScheduleParts): Promise<void> {
  const { delivery, jobs, requestKeys, logger, tasks } = parts;
  const own: readonly ScheduledTask[] = [
    {
      name: 'sweep-jobs',
      cron: '17 * * * *',
      run: async () => logger.info('finished jobs forgotten', { count: await jobs.sweepFinished() }),
    },
    {
      name: 'sweep-request-keys',
      cron: '*/10 * * * *',
      run: async () => logger.debug('request keys forgotten', { count: await requestKeys.sweepExpired() }),
    },
  ];
  for (const task of [...own, ...tasks]) await delivery.schedule(task);
}
