import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newId } from '../../../src/kernel/ids.ts';
import { testAddress, testDatabase } from '../../support/boot.ts';
import { BATCH_SPANS } from './support/batches.ts';
import { makeWorld } from './support/world.ts';

/** `CHAOS_KILLS=20` makes a long run of it; a process needs a second or two to start. */
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 2);

interface Totals {
  readonly spans: number;
  readonly counted: number;
  readonly tokens: number;
  readonly cost: number;
  readonly torn: number;
  readonly runs: number;
}

/** Runs until some batches are stored and kills it in the middle of the next; answers the last one it told of. */
async function runAndKill(task: { seed: string; projectId: string; from: number }, batches: number): Promise<number> {
  const script = join(import.meta.dirname, 'support/ingest-child.ts');
  const argument = JSON.stringify({ ...task, address: await testAddress() });
  const child = spawn(process.execPath, ['--import', 'tsx', script, argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = task.from - 1;
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    if (last === task.from + batches) {
      // The next batch is under way by now: a kill this many milliseconds later falls into any part of it.
      setTimeout(() => child.kill('SIGKILL'), batches);
    }
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  assert.equal(child.signalCode, 'SIGKILL');
  return last;
}

describe('ingest that is killed in the middle', function () {
  this.timeout(30_000 + KILLS * 15_000);

  it('loses nothing it has told of, doubles nothing that is sent again, and leaves nothing half', async () => {
    const { projectId } = await makeWorld();
    const seed = newId();
    let told = -1;
    for (let kill = 0; kill < KILLS; kill += 1) {
      // What was not answered is sent again, as exporters do, whether it was stored or not.
      told = await runAndKill({ seed, projectId, from: told + 1 }, 1 + ((kill * 3) % 7));
    }
    const db = await testDatabase();
    const { rows } = await db.raw<{ rows: Totals[] }>(
      `select
         (select count(*) from spans where project_id = :projectId) as spans,
         (select sum(span_count) from traces where project_id = :projectId) as counted,
         (select sum(total_tokens) from traces where project_id = :projectId) as tokens,
         (select sum(total_cost)::float8 from traces where project_id = :projectId) as cost,
         (select count(*) from task_executions where project_id = :projectId) as runs,
         (select count(*) from traces t where project_id = :projectId and span_count <>
            (select count(*) from spans s where s.project_id = t.project_id and s.trace_id = t.trace_id)) as torn`,
      { projectId },
    );
    const [totals] = rows;
    // The last batch may have been stored in the moment before its process could say so.
    const stored = totals?.spans === (told + 1) * BATCH_SPANS ? told + 1 : told + 2;
    const spans = stored * BATCH_SPANS;
    assert.deepEqual(totals, { spans, counted: spans, tokens: spans, cost: spans / 1_000, torn: 0, runs: stored });
  });
});
