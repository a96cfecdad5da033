import assert from 'node:assert/strict';
import { newId } from '../../../src/kernel/ids.ts';
import { exportSpans } from '../../domain/observability/support/export.ts';
import { traceId } from '../../domain/observability/support/otlp.ts';
import { describeTool } from '../../support/describe-tool.ts';
import { given, type World } from '../../support/given.ts';

/** A dataset that is being made of two traces, and the receipt of its job. */
async function landing(world: World) {
  const traces = [traceId(), traceId()];
  await exportSpans(
    world,
    traces.map((trace) => ({ trace, name: 'handle ticket' })),
  );
  const made = await world.call('create_dataset_from_traces', { name: 'tickets', trace_ids: traces });
  return made.job;
}

describeTool('get_job', {
  succeeds: {
    'follows a receipt to its end, and says the same as the job’s resource': async () => {
      const world = await given.project();
      const receipt = await landing(world);
      const before = await world.call('get_job', { kind: 'dataset_run', id: receipt.id });
      assert.equal(before.kind, 'dataset_run');
      assert.equal(before.id, receipt.id);
      assert.equal(before.label, 'Dataset tickets');
      if (!before.final) assert.equal(before.poll_after_seconds, 2);
      const after = await world.finishJob(receipt);
      assert.equal(after.status, 'idle');
      assert.equal(after.poll_after_seconds, 0);
      assert.ok(after.completed_at !== undefined && after.completed_at >= after.created_at);
      assert.equal(after.summary, 'Dataset tickets: idle.');
      assert.deepEqual(
        after.resource_links.map(({ uri }) => uri),
        [receipt.resource.uri, `overmind://datasets/${receipt.id}`],
      );
      const { summary: _summary, resource, resource_links: links, ...state } = after;
      const { uri, resource_links: made, ...read } = await world.read(resource.uri);
      assert.equal(uri, resource.uri);
      assert.deepEqual(read, state);
      assert.deepEqual(made, links.slice(1));
    },
  },
  fails: {
    resource_not_found: async () => {
      const world = await given.project();
      for (const id of [newId(), 'nonsense', '../x']) {
        await world.refuses('get_job', { kind: 'dataset_run', id }, { code: 'resource_not_found' });
      }
    },
  },
  staysInProject: {
    id: async () => {
      const [world, other] = [await given.project(), await given.project()];
      const foreign = await landing(other);
      const unknown = newId();
      const [seen, absent] = [
        await world.refusal('get_job', { kind: 'dataset_run', id: foreign.id }),
        await world.refusal('get_job', { kind: 'dataset_run', id: unknown }),
      ];
      const neutral = (error: object) => JSON.stringify(error).replaceAll(foreign.id, '-').replaceAll(unknown, '-');
      assert.equal(neutral(seen), neutral(absent));
      await world.refusesRead(`overmind://jobs/dataset_run/${foreign.id}`, 'resource_not_found');
    },
  },
});

describe('get_job kinds', () => {
  it('are the kinds of the jobs resource: each is known or unknown to both', async () => {
    const world = await given.project();
    const { result } = await world.rpc('completion/complete', {
      ref: { type: 'ref/resource', uri: 'overmind://jobs/{kind}/{id}{?project_id}' },
      argument: { name: 'kind', value: '' },
    });
    // because a completion answers a list of texts
    const completion = result?.['completion'] as { readonly values: readonly string[] } | undefined;
    const values = completion?.values ?? [];
    assert.deepEqual(values, ['dataset_run']);
    for (const kind of values) {
      await world.refuses('get_job', { kind, id: newId() }, { code: 'resource_not_found' });
      await world.refusesRead(`overmind://jobs/${kind}/${newId()}`, 'resource_not_found');
    }
    await world.refuses('get_job', { kind: 'no_such_kind', id: newId() }, { code: 'invalid_input' });
    const { error } = await world.rpc('resources/read', { uri: `overmind://jobs/no_such_kind/${newId()}` });
    assert.ok(error !== undefined);
  });
});
