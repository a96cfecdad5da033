import { connect } from '../../../src/db/connect.ts';
import { startEmbedded } from '../../../src/db/embedded.ts';

// A process that opens the embedded database of a folder, writes one row, says so, and then does as it is told.
const [folder = '', name = ''] = process.argv.slice(2);
const embedded = await startEmbedded({ folder, settings: { fsync: 'off' } });
const db = connect(embedded.address, { applicationName: name });
await db.raw('create table if not exists written (name text not null)').catch(() => undefined);
await db.raw('insert into written values (?)', [name]);
process.stdout.write(`${JSON.stringify({ adopted: embedded.adopted })}\n`);
process.stdin.once('data', () => {
  void (async () => {
    await db.destroy();
    const stopped = await embedded.leave();
    process.stdout.write(`${JSON.stringify({ stopped })}\n`);
    process.exit();
  })();
});
