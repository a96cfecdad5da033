import { connect, type DatabaseAddress } from '../../../src/db/connect.ts';
import type { Migration } from '../../../src/db/migrations/migration.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { migrations } from '../../../src/db/migrations/index.ts';
import { createLogger } from '../../../src/kernel/logger.ts';
import { installDelivery } from '../../../src/workers/delivery.ts';

// A process that migrates the database it is told. `slow` makes it stand still in the middle of the second step.
// because the parent process writes it
const { address, slow } = JSON.parse(process.argv[2] ?? '') as { address: DatabaseAddress; slow: boolean };
const db = connect(address, { applicationName: 'migrator' });

const standStill = (step: Migration): Migration => ({
  ...step,
  up: async (tx) => {
    await step.up(tx);
    process.stdout.write('in the middle\n');
    await tx.raw('select pg_sleep(600)');
  },
});
const list = migrations.map((step, index) => (slow && index === 1 ? standStill(step) : step));
const applied = await migrate(db, list);
await installDelivery(db, address, createLogger({ level: 'silent' }));
process.stdout.write(`${JSON.stringify(applied)}\n`);
await db.destroy();
