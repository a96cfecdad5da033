import assert from 'node:assert/strict';
import { describeTool } from '../../support/describe-tool.ts';
import { given } from '../../support/given.ts';
import { freshDatabase } from '../../support/boot.ts';
import { startServer } from '../../support/mcp.ts';
import { finish, landedDataset, proposal, sendTraces, tickets } from './support.ts';

describeTool('run_dataset', {
  succeeds: {
    'computes an approved version and puts it in use, leaving other proposals behind it': async () => {
      const world = await given.project();
      const id = await landedDataset(world);
      const before = await world.call('inspect_dataset', { dataset: id });
      const other = await proposal(world, id, 'SELECT * FROM t WHERE source_row > 1');
      const chosen = await proposal(world, id, 'SELECT source_row, input, output AS expected_output FROM t LIMIT 2');
      const approved = await world.call('run_dataset', { dataset: id, proposal_cell: chosen });
      assert.deepEqual([approved.job.status, approved.dataset.state], ['running', 'running']);
      const again = await world.call('run_dataset', { dataset: id, proposal_cell: chosen });
      assert.equal(again.job.id, id);
      const job = await finish(world, approved.job);
      assert.equal(job.status, 'awaiting_approval', job.job_error);
      const after = await world.call('inspect_dataset', { dataset: id });
      assert.deepEqual(
        after.cells.map((cell) => [cell.id, cell.position, cell.version, cell.state, cell.rows]),
        [
          [before.cells[0]?.id, 0, '1.0', 'ok', 3],
          [chosen, 1, '1.1', 'ok', 2],
          [other, 2, 'proposed', 'proposed', 0],
        ],
      );
      assert.equal(after.active, chosen);
      // Figures and findings are told of the version in use alone.
      const { stats: _stats, quality: _quality, ...source } = before.cells[0] ?? assert.fail('no source version');
      assert.deepEqual(after.cells[0], {
        ...source,
        columns: after.cells[0]?.columns,
        columns_truncated: true,
      });
      assert.equal(after.cells[1]?.eval_report?.ok, true);
      assert.deepEqual(
        (await world.call('query_dataset', { dataset: id, sql: 'SELECT * FROM t' })).rows.map(
          (row) => row['source_row'],
        ),
        [1, 2],
      );
      await world.refuses('run_dataset', { dataset: id, proposal_cell: other }, { code: 'dataset_invalid' });
    },
    'discards a denied proposal and changes nothing else': async () => {
      const world = await given.project();
      const id = await landedDataset(world);
      const before = await world.call('inspect_dataset', { dataset: id });
      const cell = await proposal(world, id);
      const denied = await world.call('run_dataset', { dataset: id, proposal_cell: cell, decision: 'deny' });
      assert.deepEqual([denied.dataset.state, denied.job.status], ['idle', 'idle']);
      assert.deepEqual(await world.call('inspect_dataset', { dataset: id }), before);
      await world.refuses('run_dataset', { dataset: id, proposal_cell: cell }, { code: 'cell_not_found' });
    },
    'says why an approved version failed, and runs it again when asked': async () => {
      const world = await given.project();
      const id = await landedDataset(world);
      const cell = await proposal(world, id, 'SELECT source_row FROM t');
      const approved = await world.call('run_dataset', { dataset: id, proposal_cell: cell });
      const failed = await finish(world, approved.job);
      assert.equal(failed.status, 'error');
      assert.match(failed.job_error ?? '', /no columns/);
      const detail = await world.call('inspect_dataset', { dataset: id });
      assert.deepEqual(
        detail.cells.map(({ state }) => state),
        ['ok', 'failed'],
      );
      assert.equal(detail.active, detail.cells[0]?.id);
      assert.deepEqual(
        detail.next_actions.map(({ tool }) => tool),
        ['add_dataset_step', 'run_dataset'],
      );
      assert.match(detail.cells[1]?.fits.reason ?? '', /^The version failed: .*no columns/);
      assert.match(detail.next_actions[1]?.reason ?? '', /failed; try it again only when the cause is gone/);
      const refusal = await world.refusal('run_dataset', { dataset: id, proposal_cell: cell });
      assert.equal(refusal.code, 'dataset_invalid');
      assert.match(refusal.message, /has failed; run the dataset without a proposal/);
      const again = await world.call('run_dataset', { dataset: id });
      assert.equal((await finish(world, again.job)).status, 'error');
    },
  },
  fails: {
    dataset_busy: async () => {
      const world = await given.project({ server: await startServer({ database: await freshDatabase() }) });
      const trace_ids = await sendTraces(world, tickets(1));
      const { dataset } = await world.call('create_dataset_from_traces', { name: 'landing', trace_ids });
      const error = await world.refusal('run_dataset', { dataset: dataset.id });
      assert.deepEqual([error.code, error.retryable], ['dataset_busy', true]);
    },
    dataset_invalid: async () => {
      const world = await given.project();
      const id = await landedDataset(world);
      await world.refuses('run_dataset', { dataset: id }, { code: 'dataset_invalid' });
      const [source] = (await world.call('inspect_dataset', { dataset: id })).cells;
      await world.refuses('run_dataset', { dataset: id, proposal_cell: source?.id ?? '' }, { code: 'dataset_invalid' });
      const refusal = await world.refusal('run_dataset', { dataset: 'tickets', decision: 'deny' });
      assert.equal(refusal.code, 'invalid_input');
    },
    cell_not_found: async () => {
      const world = await given.project();
      const args = { dataset: await landedDataset(world), proposal_cell: '01890a5d-ac96-774b-bcce-b302099a8057' };
      await world.refuses('run_dataset', args, { code: 'cell_not_found' });
      await world.refuses('run_dataset', { ...args, decision: 'deny' }, { code: 'cell_not_found' });
    },
    dataset_not_found: async () => {
      const world = await given.project();
      await world.refuses('run_dataset', { dataset: 'nope' }, { code: 'dataset_not_found' });
    },
  },
  staysInProject: {
    dataset: async () => {
      const [world, other] = [await given.project(), await given.project()];
      const [mine, theirs] = [await landedDataset(world), await landedDataset(other)];
      const cell = await proposal(other, theirs);
      await world.refuses('run_dataset', { dataset: theirs, proposal_cell: cell }, { code: 'dataset_not_found' });
      await world.refuses(
        'run_dataset',
        { dataset: mine, proposal_cell: cell, decision: 'deny' },
        { code: 'cell_not_found' },
      );
      const job = await world.refusal('get_job', { kind: 'dataset_run', id: theirs });
      assert.equal(job.code, 'resource_not_found');
      assert.equal((await other.call('inspect_dataset', { dataset: theirs })).cells.length, 2);
    },
  },
});
