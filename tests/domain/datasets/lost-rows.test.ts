import assert from 'node:assert/strict';
import { jobPolicies } from '../../../generated/contracts/job-policies.ts';
import { ACCOUNT, datasetsWorld } from './datasets-world.ts';
import { question } from './traces.ts';

describe('a step over rows that are gone', function () {
  this.timeout(120_000);

  it('fails for good and can be run again; a further one is refused at once', async () => {
    const policies = { dataset_run: { ...jobPolicies.dataset_run, attempts: 1 } };
    const world = await datasetsWorld({ policies });
    try {
      const projectId = await world.project();
      const traceIds = await world.ingest(projectId, [question('q', 'a')]);
      const made = await world.datasets.creation.fromTraces(projectId, { name: 'set', accountId: ACCOUNT, traceIds });
      await world.settled(made.dataset);
      const { id } = made.dataset;
      const step = { script: 'SELECT * FROM t', title: 'step', note: '', accountId: ACCOUNT };
      const { cellId } = await world.datasets.preparation.addStep(projectId, id, { ...step, isProposal: true });
      const source = (await world.datasets.service.inspect(projectId, id)).cells[0]?.table?.objectKey ?? '';
      await world.objects.delete(source);
      const run = { dataset: id, decision: 'approve', accountId: ACCOUNT } as const;
      await world.datasets.decisions.run(projectId, { ...run, proposalCell: cellId });
      assert.equal((await world.settled(made.dataset)).state, 'error');
      await assert.rejects(world.datasets.preparation.addStep(projectId, id, { ...step, isProposal: false }), {
        code: 'unavailable',
      });
      const again = await world.datasets.decisions.run(projectId, run);
      assert.equal(again.state, 'running');
      assert.equal((await world.settled(made.dataset)).state, 'error');
    } finally {
      await world.close();
    }
  });
});
