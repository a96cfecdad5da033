import { closeTestDatabases } from './boot.ts';
import { findLeaks, startCanary } from './canary.ts';
import { startLane } from './lane.ts';
import { refuseNetwork } from './no-network.ts';
import { watchFetch } from './watch-fetch.ts';

const databaseUrl = process.env['DATABASE_URL'];

export const mochaHooks = {
  async beforeAll(): Promise<void> {
    refuseNetwork(databaseUrl === undefined || databaseUrl === '' ? [] : [new URL(databaseUrl).hostname]);
    startCanary();
    watchFetch();
    await startLane();
  },
  /** No secret that any test was given or typed in may stand in a table, a log line or a metric. */
  async afterAll(this: Mocha.Context): Promise<void> {
    // Dropping databases waits for a checkpoint each, which a busy disk draws out.
    this.timeout(240_000);
    await closeTestDatabases(async (databases) => {
      const { secrets, leaks, ...seen } = await findLeaks(databases);
      process.stdout.write(
        `  ${secrets} secrets looked for in ${seen.databases} databases, the logs and the metrics, ${seen.megabytes} MB\n`,
      );
      if (leaks.length > 0) throw new Error(`Secrets stand in the open:\n${leaks.slice(0, 40).join('\n')}`);
    });
  },
};
