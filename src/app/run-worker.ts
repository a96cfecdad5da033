import { jobPolicies } from '../../generated/contracts/job-policies.ts';
import type { Datasets } from '../domain/datasets/index.ts';
import type { UpkeepService } from '../domain/observability/index.ts';
import type { Logger } from '../kernel/logger.ts';
import { scheduleTasks, Worker, type ScheduledTask } from '../workers/index.ts';
import type { Product } from './product.ts';
import type { Services } from './services.ts';

/** Starts the part of a process that runs background jobs and what goes by the clock. */
export async function startWorker(
  services: Services,
  product: Product,
): Promise<{ stop(graceMs: number): Promise<void> }> {
  const { config, db, delivery, logger, jobs, requestKeys, datasets, observability } = services;
  const worker = new Worker({
    db,
    delivery,
    logger,
    handlers: product.jobs.handlers,
    policies: jobPolicies,
    onFailed: product.jobs.onFailed,
    isRetryable: (code) => product.contract.errors[code]?.retryable === true,
    settings: { concurrency: config.workerConcurrency },
  });
  const keepDays = config.traceRetentionDays === 0 ? undefined : config.traceRetentionDays;
  const spans = spansOf(observability.upkeep, keepDays, logger);
  await scheduleTasks({
    delivery,
    jobs,
    requestKeys,
    logger,
    tasks: [sweepOf(datasets, logger), spans, searchesOf(observability.upkeep, logger), signInSweepOf(services)],
  });
  // A server that was off for weeks starts without a table for this one.
  await delivery.trigger(spans.name);
  worker.start();
  return worker;
}

/** Attempts that died leave files behind; nobody else looks for them. */
function sweepOf(datasets: Datasets, logger: Logger): ScheduledTask {
  return {
    name: 'sweep-dataset-files',
    cron: '41 3 * * *',
    run: async () => logger.info('orphaned dataset files removed', { count: await datasets.sweep() }),
  };
}

/** Ended sessions, used links and windows of attempts that are over mean nothing to anybody. */
function signInSweepOf({ sessions, attempts }: Services): ScheduledTask {
  return {
    name: 'sweep-sign-in',
    cron: '17 4 * * *',
    run: async () => {
      await sessions.sweep();
      await attempts.sweep();
    },
  };
}

/** Keeps searches from reading what came in lately from end to end. */
function searchesOf(upkeep: UpkeepService, logger: Logger): ScheduledTask {
  return {
    name: 'settle-search',
    cron: '* * * * *',
    run: async () => logger.debug('search indexes settled', { pages: await upkeep.settleSearches() }),
  };
}

/** Makes the tables of spans ahead of time and drops those that are past keeping. */
function spansOf(upkeep: UpkeepService, keepDays: number | undefined, logger: Logger): ScheduledTask {
  return {
    name: 'keep-spans',
    cron: '23 * * * *',
    run: async (signal) => {
      const outcome = await upkeep.keepSpans(keepDays, signal);
      if (Object.values(outcome).some((count) => count > 0)) logger.info('spans kept in order', { ...outcome });
    },
  };
}
