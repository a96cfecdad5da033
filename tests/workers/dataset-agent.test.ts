import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { jobPolicies } from '../../generated/contracts/job-policies.ts';
import { OpenAiChatModel } from '../../src/providers/models/openai-chat-model.ts';
import { ACCOUNT, datasetsWorld } from '../domain/datasets/datasets-world.ts';
import type { DatasetsWorld } from '../domain/datasets/datasets-world.ts';
import { question } from '../domain/datasets/traces.ts';
import { eventually } from '../support/eventually.ts';
import { calls, ModelServer, says } from '../support/fakes/model-server.ts';
import type { ModelAnswer, ModelQuestion } from '../support/fakes/model-server.ts';

/** `AGENT_KILLS=50` makes a long run of it. */
const KILLS = Number(process.env['AGENT_KILLS'] ?? 1);
/** A busy machine lets a process stand still for a second. */
const LEASE_MS = 1_500;
const PATIENT = { dataset_run: { ...jobPolicies.dataset_run, attempts: 1_000 } };
/** Changes no value, so it runs at once, in every round. */
const TURN = 'SELECT * FROM t ORDER BY source_row DESC';
const REFERENCES = 'SELECT * REPLACE (output AS expected_output) FROM t';

describe('dataset workers that are killed while the agent works', function () {
  this.timeout(240_000 + KILLS * 10_000);
  const children = new Set<ChildProcess>();
  let model: ModelServer;
  let world: DatasetsWorld;

  before(async () => {
    model = await ModelServer.start();
    const provider = { model: new OpenAiChatModel({ url: model.url, model: 'some-model', timeoutMs: 10_000 }) };
    world = await datasetsWorld({ works: false, policies: PATIENT, provider });
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await world.close();
    await model.stop();
  });

  it('double no step and no turn, and lose none', async () => {
    const projectId = await world.project();
    const traceIds = await world.ingest(projectId, [question('q', 'a'), question('r', 'b')]);
    const made = await world.datasets.creation.fromTraces(projectId, { name: 'killed', accountId: ACCOUNT, traceIds });
    const { id } = made.dataset;
    model.willAlways(slowly(conversation));
    // Every other round ends in an approval, which starts a run and then another turn.
    const tally = { kills: 0, rounds: 0 };
    let next = startWorker();
    do {
      const idle = async () => (await world.datasets.service.require(projectId, id)).state === 'idle';
      const killUntilIdle = async (): Promise<void> => {
        while (!(await idle())) {
          const worker = await next;
          if (tally.kills < KILLS) {
            next = startWorker();
            await Promise.race([once(worker, 'message'), wait(3_000)]);
            await wait(Math.random() * 700);
            worker.kill('SIGKILL');
            tally.kills += 1;
          } else {
            await eventually(async () => assert.ok(await idle()), { withinMs: 110_000 });
          }
        }
      };
      await killUntilIdle();
      await world.datasets.agent.message(projectId, {
        dataset: id,
        message: `Round ${tally.rounds}`,
        accountId: ACCOUNT,
      });
      await killUntilIdle();
      const detail = await world.datasets.service.inspect(projectId, id, { chatTurns: 30 });
      const proposed = detail.cells.filter(({ state }) => state === 'proposed');
      assert.equal(proposed.length, 1, 'one proposal in each round');
      const proposalCell = proposed[0]?.id ?? '';
      await world.datasets.decisions.run(projectId, {
        dataset: id,
        proposalCell,
        decision: 'approve',
        accountId: ACCOUNT,
      });
      await killUntilIdle();
      tally.rounds += 1;
    } while (tally.kills < KILLS);
    for (const child of children) child.kill('SIGKILL');

    const { cells, chat } = await world.datasets.service.inspect(projectId, id, { chatTurns: 30 });
    const steps = Array.from({ length: tally.rounds }, () => [TURN, REFERENCES]).flat();
    assert.deepEqual(
      cells.slice(0, 21).map(({ script, state }) => [script, state]),
      ['', ...steps].slice(0, 21).map((script) => [script, 'ok']),
    );
    assert.deepEqual(
      chat.map(({ role, status }) => `${role} ${status}`),
      Array.from({ length: tally.rounds }, () => ['user complete', 'agent resolved', 'agent complete'])
        .flat()
        .slice(-30),
    );
    assert.deepEqual(await world.db('dataset_turn_messages').select('position'), []);
    const page = await world.jobs.list(projectId, { statuses: ['queued', 'running'], limit: 10 });
    assert.deepEqual(page.jobs, []);
  });

  async function startWorker(): Promise<ChildProcess> {
    const { address, folder } = world;
    const argument = JSON.stringify({ address, folder, leaseMs: LEASE_MS, modelUrl: model.url });
    const child = fork(path.join(import.meta.dirname, 'dataset-worker.ts'), [argument], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  }
});

/** What the model says depends on what it has been told alone, as it must when a turn is gone on with elsewhere. */
function conversation({ body: { messages } }: ModelQuestion): ModelAnswer {
  if (messages.at(-1)?.content?.startsWith('Your proposals are decided')) return says('All is done.');
  switch (messages.filter(({ role }) => role === 'tool').length) {
    case 0:
      return calls({ name: 'inspect_dataset', args: {} });
    case 1:
      return calls(
        { name: 'propose_step', args: { title: 'Turn round', sql: TURN, mode: 'run' } },
        { name: 'propose_step', args: { title: 'References', sql: REFERENCES, mode: 'propose' } },
      );
    default:
      return says('Turned round, and a proposal.');
  }
}

function slowly(script: (asked: ModelQuestion) => ModelAnswer): (asked: ModelQuestion) => ModelAnswer {
  return (asked) => async (response, question) => {
    await wait(Math.random() * 200);
    await script(asked)(response, question);
  };
}
