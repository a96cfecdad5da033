import assert from 'node:assert/strict';
import { describeTool } from '../../support/describe-tool.ts';
import { given } from '../../support/given.ts';
import { landedDataset, sendTraces, tickets } from './support.ts';

describeTool('list_datasets', {
  succeeds: {
    'lists the newest first with the version in use, page by page': async () => {
      const world = await given.project();
      const first = await landedDataset(world, 'first');
      const trace_ids = await sendTraces(world, tickets(1));
      const made: string[] = [first];
      for (const name of ['second', 'third']) {
        made.push((await world.call('create_dataset_from_traces', { name, trace_ids, intent: 'eval' })).dataset.id);
      }
      const page = await world.call('list_datasets', { limit: 2 });
      assert.deepEqual(
        page.datasets.map(({ id }) => id),
        [made[2], made[1]],
      );
      assert.deepEqual([page.page.has_more, page.page.total], [true, undefined]);
      const rest = await world.call('list_datasets', { limit: 2, cursor: page.page.next_cursor ?? '' });
      assert.deepEqual(
        rest.datasets.map(({ id, active }) => [id, active?.version, active?.rows]),
        [[first, '1.0', 3]],
      );
      assert.deepEqual([rest.page.has_more, rest.page.next_cursor], [false, null]);
      assert.deepEqual(
        await world.read(rest.resource_links[0]?.uri ?? ''),
        await world.call('inspect_dataset', { dataset: first }),
      );
    },
    'filters by name, intent, state and capability': async () => {
      const world = await given.project();
      const id = await landedDataset(world, '100% sure_thing');
      const names = async (args: object) =>
        (await world.call('list_datasets', args)).datasets.map((dataset) => dataset.id);
      for (const args of [{ search: '0% SURE_' }, { intent: 'train' }, { state: 'idle' }, { capability: 'support' }]) {
        assert.deepEqual(await names(args), [id], JSON.stringify(args));
      }
      for (const args of [
        { search: '0_ sure' },
        { intent: 'eval' },
        { state: 'error' },
        { search: 'x', state: 'idle' },
      ]) {
        assert.deepEqual(await names(args), [], JSON.stringify(args));
      }
      assert.equal((await world.call('list_datasets', {})).page.total, 1);
    },
  },
  fails: {
    capability_not_found: async () => {
      const world = await given.project();
      await world.refuses('list_datasets', { capability: 'nope' }, { code: 'capability_not_found' });
    },
    invalid_filter: async () => {
      const world = await given.project();
      const trace_ids = await sendTraces(world, tickets(1));
      for (const name of ['a', 'b']) await world.call('create_dataset_from_traces', { name, trace_ids });
      const { page } = await world.call('list_datasets', { limit: 1 });
      const cursor = page.next_cursor ?? '';
      for (const args of [
        { cursor: 'forged' },
        { cursor, state: 'idle' as const },
        { cursor: `${cursor.slice(0, -2)}AA` },
      ]) {
        await world.refuses('list_datasets', args, { code: 'invalid_filter' });
      }
      const other = await given.project();
      await other.refuses('list_datasets', { cursor, limit: 1 }, { code: 'invalid_filter' });
    },
  },
  staysInProject: {
    capability: async () => {
      const [world, other] = [await given.project(), await given.project()];
      await landedDataset(other);
      assert.deepEqual((await world.call('list_datasets', {})).datasets, []);
      await world.refuses('list_datasets', { capability: 'support' }, { code: 'capability_not_found' });
    },
  },
});
