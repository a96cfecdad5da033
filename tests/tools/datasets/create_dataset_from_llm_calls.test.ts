import assert from 'node:assert/strict';
import { question } from '../../domain/datasets/traces.ts';
import type { TraceFixture } from '../../domain/datasets/traces.ts';
import { describeTool } from '../../support/describe-tool.ts';
import { given } from '../../support/given.ts';
import { finish, sendTraces, tickets } from './support.ts';

const SINCE = '2025-10-01T00:00:00Z';
const NOON = 1_760_000_000_000_000_000n;
/** The instant so many seconds after noon. */
const at = (seconds: number) => new Date(Number(NOON / 1_000_000n) + seconds * 1_000).toISOString();
const CALLS = { name: 'calls', capability: 'support', since: SINCE };

/** A ticket whose trace has a further call by another model. */
function withSecondCall(fixture: TraceFixture): TraceFixture {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'large-model',
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: 'Check it.' }]),
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: 'It is right.' }]),
  };
  return { ...fixture, children: [...(fixture.children ?? []), { name: 'review', attributes }] };
}

describeTool('create_dataset_from_llm_calls', {
  succeeds: {
    'lands one row per model call, newest first, each told of its own call': async () => {
      const world = await given.project();
      await sendTraces(world, [
        { ...question('First?', 'One.'), startNs: NOON },
        { ...withSecondCall(question('Second?', 'Two.')), startNs: NOON + 1_000_000_000n },
        { ...question('Other?', 'No.', { 'overmind.capability': 'sales' }), startNs: NOON + 2_000_000_000n },
      ]);
      const made = await world.call('create_dataset_from_llm_calls', CALLS);
      assert.deepEqual([made.calls, made.traces, made.dataset.state], [3, undefined, 'landing']);
      const job = await finish(world, made.job);
      assert.equal(job.status, 'idle', job.job_error);
      const { rows } = await world.call('query_dataset', {
        dataset: 'calls',
        sql: 'SELECT source_row, name, input, output, model FROM t',
      });
      assert.deepEqual(rows, [
        { source_row: 1, name: 'review', input: 'Check it.', output: 'It is right.', model: 'large-model' },
        { source_row: 2, name: 'chat', input: 'Second?', output: 'Two.', model: 'small-model' },
        { source_row: 3, name: 'chat', input: 'First?', output: 'One.', model: 'small-model' },
      ]);
      const detail = await world.call('inspect_dataset', { dataset: 'calls' });
      assert.deepEqual(
        [detail.source_kind, detail.intent, detail.capability?.name, detail.cells[0]?.train_report?.ok],
        ['llm_calls', 'eval', 'support', true],
      );
      const { datasets } = await world.call('list_datasets', {});
      assert.deepEqual(
        datasets.map(({ source_kind }) => source_kind),
        ['llm_calls'],
      );
    },
    'takes the calls of one model between two instants, up to the limit': async () => {
      const world = await given.project();
      const seconds = [0, 10, 20, 30];
      await sendTraces(
        world,
        seconds.map((second) => ({
          ...withSecondCall(question(`At ${second}?`, 'x')),
          startNs: NOON + BigInt(second) * 1_000_000_000n,
        })),
      );
      const inputs = async (more: object) => {
        const made = await world.call('create_dataset_from_llm_calls', { ...CALLS, intent: 'train', ...more });
        await finish(world, made.job);
        const sql = 'SELECT input FROM t ORDER BY source_row';
        const { rows } = await world.call('query_dataset', { dataset: made.dataset.id, sql });
        return rows.map((row) => row['input']);
      };
      const model = 'small-model';
      assert.deepEqual(await inputs({ model, since: at(10), until: at(30) }), ['At 20?', 'At 10?']);
      assert.deepEqual(await inputs({ model, limit: 1 }), ['At 30?']);
      const ever = { since: '1600-01-01T00:00:00Z', until: '9000-01-01T00:00:00Z' };
      assert.deepEqual(await inputs({ model, limit: 1, ...ever }), ['At 30?']);
      assert.deepEqual(await inputs({ model: 'large-model', since: at(25) }), ['Check it.']);
    },
    'splits by the hash of the span, the same side whatever else is selected': async () => {
      const world = await given.project();
      await sendTraces(world, tickets(40));
      const sides = async (limit: number) => {
        const made = await world.call('create_dataset_from_llm_calls', {
          ...CALLS,
          limit,
          split: true,
          eval_percent: 50,
        });
        await finish(world, made.job);
        const ids = async (dataset = '') =>
          (await world.call('query_dataset', { dataset, sql: 'SELECT span_id FROM t' })).rows.map((row) =>
            String(row['span_id']),
          );
        assert.deepEqual([made.dataset.name, made.eval_dataset?.name], ['calls train', 'calls eval']);
        return { train: await ids(made.dataset.id), eval: await ids(made.eval_dataset?.id) };
      };
      const [all, some] = [await sides(40), await sides(30)];
      assert.equal(all.train.length + all.eval.length, 40);
      assert.equal(new Set([...all.train, ...all.eval]).size, 40);
      assert.ok(all.train.length > 5 && all.eval.length > 5);
      assert.equal(some.train.length + some.eval.length, 30);
      assert.ok(some.train.every((id) => all.train.includes(id)) && some.eval.every((id) => all.eval.includes(id)));
    },
    'makes one dataset for a repeated request key': async () => {
      const world = await given.project();
      await sendTraces(world, tickets(1));
      const call = { ...CALLS, request_key: 'retry-0001' };
      const first = await world.call('create_dataset_from_llm_calls', call);
      assert.equal((await world.call('create_dataset_from_llm_calls', call)).dataset.id, first.dataset.id);
      assert.equal((await world.call('list_datasets', {})).datasets.length, 1);
    },
    'refuses options that contradict each other': async () => {
      const world = await given.project();
      await sendTraces(world, tickets(1));
      const wrong: readonly (readonly [object, string])[] = [
        [{ until: SINCE }, 'until'],
        [{ split: true, intent: 'eval' }, 'intent'],
        [{ eval_percent: 30 }, 'eval_percent'],
      ];
      for (const [args, field] of wrong) {
        const error = await world.refusal('create_dataset_from_llm_calls', { ...CALLS, ...args });
        assert.deepEqual([error.code, Object.keys(error.fields)], ['invalid_input', [field]]);
      }
      assert.deepEqual((await world.call('list_datasets', {})).datasets, []);
    },
  },
  fails: {
    no_calls: async () => {
      const world = await given.project();
      await sendTraces(world, [...tickets(1), { name: 'no call', attributes: { 'overmind.capability': 'quiet' } }]);
      const empty = [
        { capability: 'quiet' },
        { model: 'nope' },
        { since: '2999-01-01T00:00:00Z' },
        { since: '2001-01-01T00:00:00+02:00', until: '2001-01-02T00:00:00Z' },
      ];
      for (const args of empty) {
        await world.refuses('create_dataset_from_llm_calls', { ...CALLS, ...args }, { code: 'no_calls' });
      }
      assert.deepEqual((await world.call('list_datasets', {})).datasets, []);
    },
    dataset_invalid: async () => {
      const world = await given.project();
      await sendTraces(world, tickets(1));
      const call = { ...CALLS, split: true };
      await world.refuses('create_dataset_from_llm_calls', call, { code: 'dataset_invalid' });
    },
    capability_not_found: async () => {
      const world = await given.project();
      const call = { ...CALLS, capability: 'nope' };
      await world.refuses('create_dataset_from_llm_calls', call, { code: 'capability_not_found' });
    },
  },
  staysInProject: {
    capability: async () => {
      const [world, other] = [await given.project(), await given.project()];
      await sendTraces(other, [question('q', 'a', { 'overmind.capability': 'theirs' })]);
      const call = { ...CALLS, capability: 'theirs' };
      await world.refuses('create_dataset_from_llm_calls', call, { code: 'capability_not_found' });
      await sendTraces(world, [question('mine', 'a', { 'overmind.capability': 'theirs' })]);
      const made = await world.call('create_dataset_from_llm_calls', call);
      assert.equal(made.calls, 1);
    },
  },
});
