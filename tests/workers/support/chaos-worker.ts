import { connect, type DatabaseAddress } from '../../../src/db/connect.ts';
import type { JobRun } from '../../../src/domain/jobs/index.ts';
import { sleep } from '../../../src/kernel/duration.ts';
import { createLogger } from '../../../src/kernel/logger.ts';
import { Delivery } from '../../../src/workers/delivery.ts';
import { Worker } from '../../../src/workers/worker.ts';
import { POLICIES } from './policies.ts';

// A worker process for the chaos test: it works slowly and fails often, until somebody kills it.
// because the parent process writes it
const { address, leaseMs } = JSON.parse(process.argv[2] ?? '') as { address: DatabaseAddress; leaseMs: number };
const logger = createLogger({ level: 'error' });
const db = connect(address, { applicationName: 'chaos worker', poolMax: 6, logger });
const delivery = new Delivery({ address, logger, maintain: false });
await delivery.start();

const worker = new Worker({
  db,
  delivery,
  policies: POLICIES,
  isRetryable: () => true,
  logger: createLogger({ level: 'silent' }),
  settings: { concurrency: 3, leaseMs, pollMs: 100, sweepMs: leaseMs / 4, retryBaseMs: 30, forgottenAfterMs: 3_000 },
  handlers: {
    count: async (_payload: unknown, run: JobRun) => {
      await sleep(20 + Math.random() * 80);
      if (Math.random() < 0.1) throw new Error('A fault from time to time.');
      await run.progress({ stage: 'halfway' });
      await run.complete(async (tx) => {
        await tx.raw('insert into effects (job_id, attempt) values (?, ?)', [run.jobId, run.attempt]);
        // Time to be killed or stopped in, between the effect and its commit.
        await sleep(Math.random() * 40);
      });
    },
  },
});
worker.start();
process.stdout.write('ready\n');
