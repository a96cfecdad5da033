// The statement of query_traces by bare knex and pg, with nothing around it: what the store itself can give.
import { createLogger } from '../../../src/kernel/logger.ts';
import { loadConfig } from '../../../src/app/config.ts';
import { openStore } from '../../../src/app/store.ts';
import { TraceListReadModel } from '../../../src/domain/observability/trace-list-read-model.ts';

const config = loadConfig();
const { db } = await openStore(config, createLogger({ level: 'error' }), 'bench bare knex');
const projectId = process.env['BENCH_PROJECT'] ?? '';
let statement: { sql: string; bindings: unknown[] } | undefined;
db.on('query', ({ sql, bindings }: { sql: string; bindings: unknown[] }) => (statement ??= { sql, bindings }));
await new TraceListReadModel(db).list(
  projectId,
  { allSpans: false, ordering: { key: 'start_time_ns', descending: true }, limit: 21, filter: {} },
  undefined,
);
db.removeAllListeners('query');
if (!statement) throw new Error('the read model ran no statement');
const { sql, bindings } = statement;
const positional = sql.replaceAll(/\$\d+/g, '?');

async function run(clients: number, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let done = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) {
        await db.raw(positional, bindings as never);
        done += 1;
      }
    }),
  );
  return done / ((performance.now() - started) / 1000);
}

process.on('message', (message: { ask: string; clients: number; seconds: number }) => {
  if (message.ask === 'run')
    void run(message.clients, message.seconds).then((perSecond) => process.send?.({ perSecond }));
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
