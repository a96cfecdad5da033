import { connect, type DatabaseAddress } from '../../../../src/db/connect.ts';
import { createObservability, readExport } from '../../../../src/domain/observability/index.ts';
import { systemClock } from '../../../../src/kernel/clock.ts';
import { PageCursors } from '../../../../src/kernel/page-cursor.ts';
import { batchOf } from './batches.ts';
import { otlpExport, otlpSpan } from './otlp.ts';

/** Takes batch after batch in, and prints the number of each one that is stored, until somebody kills it. */
async function main(): Promise<void> {
  // because the parent process wrote this argument
  const task = JSON.parse(process.argv[2] ?? '{}') as {
    address: DatabaseAddress;
    projectId: string;
    seed: string;
    from: number;
  };
  const db = connect(task.address, { applicationName: 'ingest child', acquireTimeoutMs: 60_000 });
  const { ingest } = createObservability({ db, clock: systemClock, cursors: new PageCursors('child') });
  for (let number = task.from; ; number += 1) {
    const batch = otlpExport(batchOf(task.seed, number).map(otlpSpan));
    await ingest.ingest(task.projectId, readExport(batch, 1n).spans);
    process.stdout.write(`${number}\n`);
  }
}

await main();
