import { closeTestDatabases } from './boot.ts';
import { refuseNetwork } from './no-network.ts';

const databaseUrl = process.env['DATABASE_URL'];

export const mochaHooks = {
  beforeAll(): void {
    refuseNetwork(databaseUrl === undefined || databaseUrl === '' ? [] : [new URL(databaseUrl).hostname]);
  },
  async afterAll(): Promise<void> {
    await closeTestDatabases();
  },
};
