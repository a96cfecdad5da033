import assert from 'node:assert/strict';
import { question } from '../../domain/datasets/traces.ts';
import { eventually } from '../../support/eventually.ts';
import { describeTool } from '../../support/describe-tool.ts';
import { given } from '../../support/given.ts';
import { finish, sendAndLeave, sendTraces, tickets } from './support.ts';

const UNKNOWN = '0af7651916cd43dd8448eb211c80319c';

describeTool('create_dataset_from_traces', {
  succeeds: {
    'answers a receipt at once; the rows land in the background and are read by its links': async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, tickets(3));
      const made = await world.call('create_dataset_from_traces', {
        name: 'tickets',
        trace_ids: [...trace_ids, UNKNOWN],
      });
      assert.deepEqual([made.traces, made.dataset.state, made.job.status], [3, 'landing', 'landing']);
      assert.deepEqual([made.job.kind, made.job.id], ['dataset_run', made.dataset.id]);
      const job = await finish(world, made.job);
      assert.equal(job.status, 'idle', job.job_error);
      assert.equal(job.details['active'], '1.0');
      const payloads = await Promise.all(made.resource_links.map((link) => world.read(link.uri)));
      assert.deepEqual(
        payloads.map((payload) => payload['id']),
        [made.dataset.id, made.dataset.id],
      );
      const detail = await world.call('inspect_dataset', { dataset: 'Tickets' });
      assert.equal(detail.capability?.name, 'support');
      assert.deepEqual(
        detail.capability_rank.map(({ name, score }) => [name, score]),
        [['support', 1]],
      );
      assert.equal(detail.intent, 'train');
      assert.deepEqual(
        detail.cells.map((cell) => [cell.version, cell.rows, cell.fits.ok]),
        [['1.0', 3, true]],
      );
    },
    'selects by filters and search, newest first, up to the limit': async () => {
      const world = await given.project();
      await sendTraces(world, [
        question('old', 'a'),
        question('middle', 'b'),
        question('new', 'c'),
        { ...question('broken', ''), error: 'no answer' },
      ]);
      const made = await world.call('create_dataset_from_traces', {
        name: 'good ones',
        filters: { capability: 'SUPPORT', has_error: false },
        search: 'handle',
        limit: 2,
        intent: 'eval',
        capability: null,
      });
      assert.equal(made.traces, 2);
      await finish(world, made.job);
      const { rows } = await world.call('query_dataset', {
        dataset: made.dataset.id,
        sql: 'SELECT input FROM t ORDER BY source_row',
      });
      assert.deepEqual(rows, [{ input: 'new' }, { input: 'middle' }]);
      const detail = await world.call('inspect_dataset', { dataset: made.dataset.id });
      assert.deepEqual([detail.capability, detail.intent, detail.cells[0]?.fits.ok], [undefined, 'eval', false]);
      assert.match(detail.cells[0]?.fits.reason ?? '', /expected_output/);
    },
    'splits into a training and an evaluation dataset': async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, tickets(10));
      const made = await world.call('create_dataset_from_traces', { name: 'halves', trace_ids, split: {} });
      assert.deepEqual([made.dataset.name, made.eval_dataset?.name], ['halves train', 'halves eval']);
      await finish(world, made.job);
      const evalId = made.eval_dataset?.id ?? '';
      assert.equal((await world.call('get_job', { kind: 'dataset_run', id: evalId })).status, 'idle');
      const inputs = async (dataset: string) =>
        (await world.call('query_dataset', { dataset, sql: 'SELECT input FROM t ORDER BY source_row' })).rows.map(
          (row) => row['input'],
        );
      assert.equal((await inputs(made.dataset.id)).length, 8);
      assert.deepEqual(await inputs(evalId), ['Question 9?', 'Question 10?']);
    },
    'keeps the dataset and its job when the client gives up': async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, tickets(2));
      await sendAndLeave(world, 'create_dataset_from_traces', { name: 'left', trace_ids });
      const [left] = await eventually(async () => {
        const { datasets } = await world.call('list_datasets', { search: 'left' });
        assert.equal(datasets.length, 1);
        return datasets;
      });
      assert.equal((await finish(world, { kind: 'dataset_run', id: left?.id ?? '' })).status, 'idle');
    },
    'makes one dataset for a repeated request key': async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, tickets(1));
      const call = { name: 'once', trace_ids, request_key: 'retry-0001' };
      const [first, second] = [
        await world.call('create_dataset_from_traces', call),
        await world.call('create_dataset_from_traces', call),
      ];
      assert.equal(second.dataset.id, first.dataset.id);
      assert.equal((await world.call('list_datasets', {})).datasets.length, 1);
    },
    'refuses selections and options that contradict each other': async () => {
      const world = await given.project();
      const [id = ''] = await sendTraces(world, tickets(2));
      const wrong: readonly (readonly [object, string])[] = [
        [{}, 'trace_ids'],
        [{ trace_ids: [id], search: 'x' }, 'trace_ids'],
        [{ trace_ids: [id], filters: { has_error: true } }, 'trace_ids'],
        [{ trace_ids: [id], limit: 5 }, 'limit'],
        [{ trace_ids: [id], intent: 'eval', split: {} }, 'intent'],
        [{ filters: { unbound: true, capability: 'support' } }, 'filters.unbound'],
        [{ trace_ids: [id], split: { group_by: ['nope'] } }, 'split.group_by'],
        [{ trace_ids: [id], split: { stratify_by: 'nope' } }, 'split.stratify_by'],
      ];
      for (const [args, field] of wrong) {
        const error = await world.refusal('create_dataset_from_traces', { name: 'x', ...args });
        assert.equal(error.code, 'invalid_input', JSON.stringify(args));
        assert.ok(field in error.fields, `${JSON.stringify(args)} must name ${field}: ${JSON.stringify(error.fields)}`);
      }
      assert.deepEqual((await world.call('list_datasets', {})).datasets, []);
    },
  },
  fails: {
    no_traces: async () => {
      const [world, other] = [await given.project(), await given.project()];
      const foreign = await sendTraces(other, tickets(1));
      for (const args of [{ trace_ids: [UNKNOWN] }, { trace_ids: foreign }, { search: 'nothing like it' }]) {
        await world.refuses('create_dataset_from_traces', { name: 'x', ...args }, { code: 'no_traces' });
      }
      assert.deepEqual((await world.call('list_datasets', {})).datasets, []);
    },
    dataset_invalid: async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, tickets(1));
      await world.refuses(
        'create_dataset_from_traces',
        { name: 'x', trace_ids, split: {} },
        { code: 'dataset_invalid' },
      );
    },
    capability_not_found: async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, tickets(1));
      await world.refuses(
        'create_dataset_from_traces',
        { name: 'x', trace_ids, capability: 'nope' },
        { code: 'capability_not_found' },
      );
    },
  },
  staysInProject: {
    capability: async () => {
      const [world, other] = [await given.project(), await given.project()];
      await sendTraces(other, tickets(1));
      const { capability } = await other.services.observability.capabilities
        .require(other.project.id, 'support')
        .then(({ id }) => ({ capability: id }));
      const trace_ids = await sendTraces(world, [{ name: 'plain' }]);
      await world.refuses(
        'create_dataset_from_traces',
        { name: 'x', trace_ids, capability },
        { code: 'capability_not_found' },
      );
      await world.refuses(
        'create_dataset_from_traces',
        { name: 'x', filters: { capability } },
        { code: 'capability_not_found' },
      );
    },
  },
});
