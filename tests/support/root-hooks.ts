import { closeTestDatabases } from './boot.ts';
import { refuseNetwork } from './no-network.ts';

const databaseUrl = process.env['DATABASE_URL'];

export const mochaHooks = {
  beforeAll(): void {
    refuseNetwork(databaseUrl === undefined || databaseUrl === '' ? [] : [new URL(databaseUrl).hostname]);
  },
  async afterAll(this: Mocha.Context): Promise<void> {
    // Dropping databases waits for a checkpoint each, which a busy disk draws out.
    this.timeout(120_000);
    await closeTestDatabases();
  },
};
