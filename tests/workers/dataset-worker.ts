import { connect } from '../../src/db/connect.ts';
import type { DatabaseAddress } from '../../src/db/connect.ts';
import { assemble, datasetsWorker } from '../domain/datasets/datasets-world.ts';

// A worker process for the test that kills it: takes dataset jobs with a short lease and says when one begins.
// because the parent process writes it
const { address, folder, leaseMs } = JSON.parse(process.argv[2] ?? '') as {
  address: DatabaseAddress;
  folder: string;
  leaseMs: number;
};
const db = connect(address, { applicationName: 'dataset worker', poolMax: 6 });
const parts = await assemble({ db, address, folder });
datasetsWorker(parts, db, { concurrency: 1, leaseMs, sweepMs: leaseMs / 4 }, () => process.send?.('begun')).start();
