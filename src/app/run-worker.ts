import { Worker, scheduleTasks } from '../workers/index.ts';
import type { Product } from './product.ts';
import type { Services } from './services.ts';

/** Starts the part of a process that runs background jobs and what goes by the clock. */
export async function startWorker(services: Services, product: Product): Promise<{ stop(graceMs: number): Promise<void> }> {
  const { config, db, delivery, logger, jobs, requestKeys } = services;
  const worker = new Worker({
    db,
    delivery,
    logger,
    handlers: product.jobs.handlers,
    policies: product.jobs.policies,
    isRetryable: (code) => product.contract.errors[code]?.retryable === true,
    settings: { concurrency: config.workerConcurrency },
  });
  await scheduleTasks({ delivery, jobs, requestKeys, logger, tasks: [] });
  worker.start();
  return worker;
}
